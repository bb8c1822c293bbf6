/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* For probes_asm.py: the other module of probes_thin_main.c. */
int bump(int x);

__attribute__((noinline)) static int weigh(int x)
{
    return x % 7 * 3;
}

int scale(int x)
{
    if (x & 1)
        return weigh(x);
    return x % 3 ? x * 2 : weigh(x + 1) - 1;
}

int fold(int n, int (*step)(int))
{
    int sum = 0;
    for (int i = 0; i < n; i++)
        sum += i % 4 == 3 ? step(i) : bump(i);
    return sum;
}
