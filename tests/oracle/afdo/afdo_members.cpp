// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Blocks of C++ whose counts are known, as in afdo_blocks.c: in templates, members and constructors.
#include <cstdio>

static unsigned counts[16];
static volatile int sink;

#define MARK(n)                                                                                              \
    extern "C" __attribute__((noipa)) int mark##n(int x)                                                     \
    {                                                                                                        \
        counts[n]++;                                                                                         \
        sink = x;                                                                                            \
        return x + n;                                                                                        \
    }
MARK(0)
MARK(1)
MARK(2)
MARK(3)
MARK(4)
MARK(5)
MARK(6)
MARK(7)
MARK(8)
MARK(9)
MARK(10)
MARK(11)

struct adder {
    int s;
    void add(int i)
    {
        if (i % 10 == 3)
            s += mark0(i);
        else
            s -= mark1(i);
    }
};

__attribute__((noinline)) int adders(int n)
{
    adder a = {0};
    for (int i = 0; i < n; i++)
        a.add(i);
    return a.s;
}

/* Debug information has no line of its own for a lambda. */
__attribute__((noinline)) int lambdas(int n)
{
    int s = 0;
    auto add = [&](int i) __attribute__((noinline)) {
        if (i % 10 == 3)
            s += mark10(i);
        else
            s -= mark11(i);
    };
    for (int i = 0; i < n; i++)
        add(i);
    return s;
}

template <class T> __attribute__((noinline)) T most(T a, T b)
{
    if (a > b)
        return static_cast<T>(mark2(1)) + a;
    return b - static_cast<T>(mark3(2));
}

struct shape {
    int n;
    __attribute__((noinline)) explicit shape(int x) : n(x)
    {
        if (x % 20 == 0)
            n += mark4(x);
        else
            n -= mark5(x);
    }
    __attribute__((noinline)) int area(int x) const
    {
        if (x & 16)
            return mark6(x);
        return mark7(x) * n;
    }
    __attribute__((noinline)) ~shape()
    {
        if (n > 0)
            mark8(n);
        else
            mark9(n);
    }
};

int main()
{
    int s = 0;
    for (int i = 0; i < 8; i++)
        s += adders(50) + lambdas(30);
    for (int i = 0; i < 200; i++) {
        shape one(i);
        s += one.area(i & 31 ? i & 15 : 16) + most(i, 180) + static_cast<int>(most<long>(i, 20));
    }
    std::fprintf(stderr, "%d\n", s);
    for (int i = 0; i < 12; i++)
        std::printf("mark%d %u\n", i, counts[i]);
    return 0;
}
