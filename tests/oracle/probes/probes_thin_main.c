/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* For probes_asm.py, with probes_thin_part.c: what is inlined comes from the other module. */
int printf(const char *format, ...);
int scale(int x);
int fold(int n, int (*step)(int));

__attribute__((noinline)) static int near(int x)
{
    return scale(x) + (x & 4 ? 1 : scale(x + 1));
}

int bump(int x)
{
    return x % 5 == 2 ? near(x) : x + 1;
}

int main(int argc, char **argv)
{
    int sum = 0;
    (void)argv;
    for (int i = 0; i < 90; i++)
        sum += fold(i, i & 1 ? bump : near) ^ scale(i * argc);
    printf("%d\n", sum);
    return 0;
}
