/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Blocks whose counts are known: each calls a function of its own, and its truth is how often that function ran. */
#include <stdio.h>

static unsigned counts[16];
static volatile int sink;

#define MARK(n)                                                                                              \
    __attribute__((noipa)) int mark##n(int x)                                                                \
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

/* Static guesses are wrong here: the arm with the loop is cold, the one of "unlikely" values hot. */
__attribute__((noinline)) int skewed(const int *a, int n)
{
    int s = 0;
    for (int i = 0; i < n; i++) {
        if (a[i & 15] == 7) {
            s += mark0(i);
        } else {
            for (int k = 0; k < 2; k++)
                s -= mark1(k);
        }
        if (!(a[i & 15] & 8))
            s ^= mark2(s);
    }
    return s;
}

static inline int small(int x)
{
    if (x % 10 == 0)
        return mark3(x);
    return mark4(x) + 1;
}

__attribute__((noinline)) int inliner(int n)
{
    int s = 0;
    for (int i = 0; i < n; i++) {
        s += small(i);
        if (i % 50 == 49)
            s -= mark5(s);
    }
    return s;
}

/* The first arm is moved to another section. */
__attribute__((noinline)) int split(int x)
{
    if (x < 0) {
        mark6(x);
        mark6(x + 1);
        return 1;
    }
    return mark7(x);
}

__attribute__((noinline)) int switched(int kind, int x)
{
    switch (kind) {
    case 0:
        return mark8(x);
    case 1:
        return mark9(x) * 3;
    case 2:
        return mark10(x) ^ 5;
    default:
        return mark11(x) - 2;
    }
}

int main(void)
{
    int a[16] = {7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 8}, s = 0;
    for (int j = 0; j < 20; j++)
        s += skewed(a, 32) + inliner(50);
    for (int j = 0; j < 200; j++)
        s += split(j - 2) + switched(j % 20 < 16 ? 2 : j % 4, j);
    fprintf(stderr, "%d\n", s);
    for (int i = 0; i < 12; i++)
        printf("mark%d %u\n", i, counts[i]);
    return 0;
}
