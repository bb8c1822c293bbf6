/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Functions that GCC splits, clones and inlines, with arms that run more or less often. */
#include <stdio.h>
#include <stdlib.h>

static volatile int sink;

__attribute__((noinline)) int leaf(int x)
{
    sink = x;
    return x + 1;
}

__attribute__((noinline)) int other(int x)
{
    sink = x + 1;
    return x ^ 3;
}

static int twice(int x)
{
    if (x & 4)
        return x * 3;
    return x - 1;
}

static int nested(int x)
{
    int r = twice(x) + 1;
    if (r & 1)
        r += twice(r);
    return r;
}

__attribute__((noinline)) int arms(int n)
{
    int s = 0;
    for (int i = 0; i < n; i++) {
        if (i % 5 == 1)
            s += leaf(i);
        else
            s -= other(-i);
    }
    return s;
}

/* The compiler moves instructions of one arm before the branch. */
__attribute__((noinline)) int hoisted(const int *a, int n)
{
    int s = 0;
    for (int i = 0; i < n; i++)
        if (a[i & 15] & 8)
            s += nested(i);
        else
            s ^= leaf(i);
    return s;
}

/* Most of it is split off (.part). */
int early(int *p, int n)
{
    if (!p)
        return -1;
    for (int i = 0; i < n; i++) {
        p[i & 15] += leaf(i);
        if (p[i & 15] > 1000000)
            printf("much %d\n", i);
    }
    return p[3];
}

/* One arm is never taken (.cold). */
__attribute__((noinline)) int careful(int x)
{
    if (__builtin_expect(x > 100000, 0)) {
        fprintf(stderr, "too much: %d\n", x);
        if (x > 200000)
            abort();
        sink = leaf(x) * x;
    }
    return x & 7;
}

/* A clone for a constant (.constprop), and for an argument that is not used (.isra). */
static __attribute__((noinline)) int scaled(int x, int by, int unused)
{
    int s = 0;
    (void)unused;
    for (int i = 0; i < by; i++)
        s += x & i ? leaf(i) : 2;
    return s;
}

int (*volatile choice)(int) = leaf;

__attribute__((noinline)) int indirect(int n)
{
    int s = 0;
    for (int i = 0; i < n; i++) {
        choice = i % 10 == 0 ? other : leaf;
        s += choice(i) + leaf(s & 3) + leaf(i);
    }
    return s;
}

__attribute__((noinline)) int chosen(int kind, int x)
{
    switch (kind) {
    case 0:
        return leaf(x);
    case 1:
        return twice(x) * 7;
    case 2:
        return x / 3;
    case 3:
        return other(x) + nested(x);
    case 4:
        return x << 2;
    default:
        return -x;
    }
}

__attribute__((noinline)) int deep(int n)
{
    return n < 2 ? leaf(n) : deep(n - 1) + deep(n - 2);
}

int main(int argc, char **argv)
{
    int a[16] = {1, 9, 2, 3, 8, 0, 0, 1, 2, 12, 4, 5, 6, 7, 0, 3}, s = 0;
    (void)argv;
    for (int j = 0; j < 10; j++)
        s += arms(50) + hoisted(a, 60);
    for (int j = 0; j < 40; j++)
        s += early(j % 8 == 0 ? NULL : a, 10) + careful(s & 1023) + scaled(j, 12, s);
    for (int j = 0; j < 300; j++)
        s += chosen(j % 16 > 10 ? j % 6 : 4, j);
    s += indirect(100 * argc) + deep(9);
    printf("%d\n", s);
    return 0;
}
