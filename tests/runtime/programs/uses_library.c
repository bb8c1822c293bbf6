/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Linked with library.c's shared library. */
int library_step(int i);

__attribute__((noinline)) int step(int i)
{
    return i & 1 ? library_step(i) : i;
}

int main(void)
{
    int sum = 0;
    for (int i = 0; i < 50; i++)
        sum += step(i);
    return sum == 12345678;
}
