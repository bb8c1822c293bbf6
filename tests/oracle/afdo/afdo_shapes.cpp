// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Functions of C++ for GCC: constructors, templates, virtual and inlined ones, exceptions.
#include <cstdio>
#include <stdexcept>

static volatile int sink;

namespace {
__attribute__((noinline)) int hidden(int x)
{
    sink = x;
    return x * 2;
}
} // namespace

struct base {
    int n;
    __attribute__((noinline)) explicit base(int x) : n(x)
    {
        if (x % 4 == 0)
            sink = x;
    }
    virtual int area(int x)
    {
        return hidden(x) + n;
    }
    __attribute__((noinline)) virtual ~base()
    {
        sink = n;
    }
};

struct square : base {
    explicit square(int x) : base(x + 1)
    {
        n += x;
    }
    int area(int x) override
    {
        return x < 0 ? hidden(3) : x * x;
    }
};

template <class T> __attribute__((noinline)) T most(T a, T b)
{
    if (a > b)
        return a;
    return b;
}

static __attribute__((noinline)) int thrower(int x)
{
    if (x % 17 == 3)
        throw std::runtime_error("x");
    return x * 3;
}

__attribute__((noinline)) int guarded(int x)
{
    try {
        return thrower(x) + thrower(x + 1);
    } catch (const std::runtime_error &) {
        return -1;
    }
}

__attribute__((noinline)) int total(base *s, int n)
{
    int sum = 0;
    auto add = [&](int i) {
        sum += s->area(i);
        if (sum > 1000)
            sum -= 999;
    };
    for (int i = -2; i < n; i++)
        add(i);
    return sum;
}

int main(int argc, char **)
{
    int s = 0;
    base one(argc);
    for (int i = 0; i < 150; i++) {
        square two(i);
        s = most(s, guarded(i)) + int(most<long>(i, s) % 3);
        s += total(i % 3 ? &two : &one, 3);
    }
    std::printf("%d\n", s);
    return 0;
}
