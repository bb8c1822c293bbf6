/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The instrumented part of bare_metal.py's and core.py's programs: how often each branch is taken is known. */
#include "bare_counted.h"

#define ALONE __attribute__((noinline))

static int twice(int x)
{
    return 2 * x;
}

static int negative(int x)
{
    return -x;
}

static int same(int x)
{
    return x;
}

ALONE int decide(int a, int b, int c)
{
    if ((a && b) || c)
        return 1;
    return 0;
}

ALONE static int apply(int (*function)(int), int x)
{
    return function(x);
}

char bare_from[64], bare_to[64]; /* not static: else the copies are dropped */

ALONE static void copy(unsigned n)
{
    __builtin_memcpy(bare_to, bare_from, n);
}

/* Ten calls of apply: six times twice, three times negative, once same. Sizes 3 (six times), 20 (three times), 60. */
int counted(void)
{
    int sum = 0;
    for (int i = 0; i < 10; i++) {
        sum += apply(i < 6 ? twice : i < 9 ? negative : same, i);
        copy(i < 6 ? 3 : i < 9 ? 20 : 60);
    }
    sum += decide(1, 1, 0) + decide(1, 0, 0) + decide(0, 1, 0) + decide(0, 0, 1);
    return sum;
}

/* A target and a size that counted() does not have. */
int other(int x)
{
    return x + 1;
}

int uncommon(void)
{
    int (*volatile which)(int) = other; /* else there is a second apply for it */
    copy(7);
    return apply(which, 1);
}
