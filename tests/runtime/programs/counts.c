/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Something of everything that compilers instrument in one file: branches, conditions, loops, a switch, functions that
 * are never called, indirect calls, memory operations of many sizes. Runs step() as often as the argument says. */
extern int atoi(const char *text);

#define APART __attribute__((noinline))

static char from[700] = {1}, to[700];

APART static int twice(int x)
{
    return 2 * x;
}

APART static int negative(int x)
{
    return -x;
}

APART int plus_one(int x)
{
    return x + 1;
}

APART int minus_one(int x)
{
    return x - 1;
}

int (*const targets[])(int) = {twice, negative, plus_one, minus_one, plus_one};

APART int decide(int a, int b, int c)
{
    if ((a && b) || c)
        return 1;
    return (a || b) && !c ? 2 : 3;
}

APART void copy(unsigned n)
{
    __builtin_memcpy(to, from, n);
}

APART int loop(int n)
{
    int sum = 0;
    for (int i = 0; i < n; i++) {
        if (i % 3 == 1)
            continue;
        sum += i;
    }
    do
        sum ^= n;
    while (n-- > 3);
    return sum;
}

APART int choose(int x)
{
    switch (x & 7) {
    case 0:
        return 5;
    case 1:
    case 2:
        return x;
    case 5:
        return x * 3;
    default:
        return loop(x & 3);
    }
}

APART int never(int x)
{
    return x > 3 ? choose(x) : loop(x);
}

APART int step(int i)
{
    int sum = choose(i) + decide(i & 1, i & 2, i & 4) + loop(i % 11);
    copy((unsigned)(i * i) % 600);
    return sum + targets[i % 5](i) + (i < 0 ? never(i) : 0);
}

int main(int argc, char **argv)
{
    int sum = 0, n = argc > 1 ? atoi(argv[1]) : 50;
    for (int i = 0; i < n; i++)
        sum += step(i);
    return sum == 12345678 ? 1 : 0;
}
