/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Functions so small that no front end makes a digest of their control flow: nothing in the hashes shows which
 * release made the profile. */
#include <stdio.h>
#include <stdlib.h>

#include "pgo_count.h"

static NOINLINE int choose(int x)
{
    ENTER();
    if (x > 2)
        return 1;
    return 2;
}

NOINLINE int add_up(int n)
{
    ENTER();
    int sum = 0;
    for (int i = 0; i < n; i++)
        sum += choose(i);
    return sum;
}

int main(int argc, char **argv)
{
    ENTER();
    printf("result %d\n", add_up(argc > 1 ? atoi(argv[1]) : 5));
    return 0;
}
