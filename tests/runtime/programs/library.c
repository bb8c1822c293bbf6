/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A shared library. */
static int third(int x)
{
    return x / 3;
}

static int half(int x)
{
    return x / 2;
}

static int (*const ways[])(int) = {third, half, half};

int library_step(int i);
int library_step(int i)
{
    return i % 4 ? ways[i % 3](i) : 7;
}
