/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The second file of the program: local names that pgo_main.c has too. */
#include "pgo_count.h"

/* Another body, other counts. */
static NOINLINE int helper(int x)
{
    ENTER();
    int n = 0;
    while (x > 0 && n < 50) {
        x -= n++;
        if (x == 7)
            break;
    }
    return n;
}

/* Another body with the same control flow as there: the hashes agree, only the file tells them apart. */
static NOINLINE int twice(int x)
{
    ENTER();
    return x + x + 1;
}

static NOINLINE int pick(int which, int x)
{
    ENTER();
    if (which & 1)
        return twice(x);
    if (which & 2)
        return helper(x);
    return x;
}

int (*other_pick(int which))(int)
{
    ENTER();
    return which % 2 ? helper : twice;
}

NOINLINE int other_run(int rounds, int seed)
{
    ENTER();
    int x = seed;
    for (int i = 0; i < rounds; i++)
        x += pick(i, x % 100);
    return x;
}
