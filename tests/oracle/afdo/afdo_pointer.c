/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Two direct calls of one function and an indirect call of another one, of the same type, in one line. */
__attribute__((noinline)) int direct(int x)
{
    return x * 3 + 1;
}

__attribute__((noinline)) int pointed(int x)
{
    return x * 5 + 1;
}

int (*volatile pointer)(int) = pointed;

int main(int argc, char **argv)
{
    int s = 0;
    (void)argv;
    for (int i = 0; i < 500; i++)
        s += direct(i) + direct(i + s) + pointer(i);
    return s == argc;
}
