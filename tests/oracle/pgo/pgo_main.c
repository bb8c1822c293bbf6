/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A program to profile: local functions (of names that pgo_other.c has too), calls through pointers, copies of
 * variable size, switches, loops, recursion, short circuits. The arguments decide what runs how often. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "pgo_count.h"

int other_run(int rounds, int seed);
int (*other_pick(int which))(int);

typedef int operation(int);

/* The same name as in pgo_other.c, with another body. */
static NOINLINE int helper(int x)
{
    ENTER();
    if (x % 3 == 0)
        return x / 3;
    return x + 1;
}

static NOINLINE int twice(int x)
{
    ENTER();
    return 2 * x;
}

static NOINLINE int halve(int x)
{
    ENTER();
    return x > 0 ? x / 2 : 0;
}

static NOINLINE int negate(int x)
{
    ENTER();
    return -x;
}

/* Small enough to be taken into its callers; that changes nothing of the counts. */
static int clamp(int x, int low, int high)
{
    if (x < low)
        return low;
    if (x > high)
        return high;
    return x;
}

static NOINLINE operation *pick(int i)
{
    ENTER();
    switch (i % 7) {
    case 0:
    case 1:
    case 2:
        return twice;
    case 3:
    case 4:
        return halve;
    case 5:
        return negate;
    default:
        return other_pick(i);
    }
}

/* Indirect calls with several targets, of both files. */
static NOINLINE int through_pointers(int rounds, int x)
{
    ENTER();
    for (int i = 0; i < rounds; i++) {
        operation *f = pick(i);
        x = clamp(f(x) + 3, -1000, 1000);
    }
    return x;
}

/* Copies and fills of many sizes. */
static NOINLINE int copies(int rounds, int seed)
{
    static char from[2048], to[2048], filled[2048];
    ENTER();
    unsigned sum = 0;
    for (unsigned k = 0; k < sizeof from; k++)
        from[k] = (char)(k * k + (unsigned)seed);
    for (int i = 0; i < rounds; i++) {
        size_t n = (size_t)(i % 5 == 0 ? 8 : i % 11 == 0 ? 600 + seed : (i * 7 + seed) % 40);
        memcpy(to + i % 3, from + i, n);
        memset(filled, i, n / 2);
        sum += n > 1 ? (unsigned char)to[n - 1] + (unsigned)filled[n / 2 - 1] : 1u;
    }
    return (int)(sum % 1000);
}

/* A difference, because a compiler may turn one call of a sum into a loop before it counts. */
static NOINLINE int recurse(int n)
{
    ENTER();
    return n < 2 ? n : 2 * recurse(n - 1) - recurse(n - 2);
}

/* Two that call each other. */
static int is_odd(unsigned n);

static NOINLINE int is_even(unsigned n)
{
    ENTER();
    return n == 0 || is_odd(n - 1);
}

static NOINLINE int is_odd(unsigned n)
{
    ENTER();
    return n != 0 && is_even(n - 1);
}

/* Enough control flow that a front end's hash is a digest; more than ten parts. */
NOINLINE int interpret(const char *program, int x)
{
    ENTER();
    int depth = 0;
    for (const char *p = program; *p; p++) {
        switch (*p) {
        case '+':
            x += 3;
            break;
        case '-':
            x -= 2;
            break;
        case '*':
            x *= 2;
            /* fallthrough */
        case '%':
            x %= 4097;
            break;
        case '(':
            depth++;
            break;
        case ')':
            if (--depth < 0 || x < -5000)
                goto out;
            break;
        case '?':
            if (x & 1 && p[1])
                p++;
            continue;
        default:
            do {
                x ^= *p;
            } while (x > 3000 && (x /= 2));
        }
    }
out:
    return x;
}

NOINLINE int sieve(int limit)
{
    static unsigned char composite[5000];
    int found = 0;
    ENTER();
    memset(composite, 0, sizeof composite);
    limit = clamp(limit, 2, (int)sizeof composite - 1);
    for (int i = 2; i <= limit; i++) {
        if (composite[i])
            continue;
        found++;
        for (int k = 2 * i; k <= limit; k += i)
            composite[k] = 1;
    }
    return found;
}

NOINLINE int collatz(unsigned long n)
{
    int steps = 0;
    ENTER();
    while (n != 1 && steps < 1000) {
        n = n % 2 ? 3 * n + 1 : n / 2;
        steps++;
    }
    return steps;
}

static NOINLINE int compare(const void *a, const void *b)
{
    ENTER();
    int x = *(const int *)a, y = *(const int *)b;
    return x < y ? -1 : x > y;
}

/* Called back by a function that is not instrumented. */
NOINLINE int sorted(int n, int seed)
{
    int list[200];
    ENTER();
    n = clamp(n, 1, 200);
    for (int i = 0; i < n; i++)
        list[i] = (i * 7919 + seed * 31) % 211;
    /* Not qsort: how often that compares is the C library's affair. */
    for (int i = 1; i < n; i++)
        for (int k = i; k > 0 && compare(&list[k - 1], &list[k]) > 0; k--) {
            int t = list[k];
            list[k] = list[k - 1];
            list[k - 1] = t;
        }
    return list[n / 2];
}

NOINLINE int short_circuits(int a, int b, int c)
{
    int n = 0;
    ENTER();
    for (int i = 0; i < 30; i++) {
        if ((i % a == 0 && i % b) || (i > c && !(i & 4)))
            n += 2;
        if (i < a || i * b > 40 || (c & i) == 1)
            n++;
    }
    return n;
}

NOINLINE int rarely(int x)
{
    ENTER();
    for (int i = 0; i < 10; i++)
        x = x * 5 % 101;
    return x;
}

NOINLINE int never(int x)
{
    ENTER();
    return x ? helper(x) : 17;
}

int main(int argc, char **argv)
{
    ENTER();
    int rounds = argc > 1 ? atoi(argv[1]) : 10;
    int seed = argc > 2 ? atoi(argv[2]) : 1;
    int result = through_pointers(rounds, seed) + copies(rounds, seed) + recurse(5 + seed % 9);
    result += is_even((unsigned)rounds) + interpret("a+(*-)%?b(xyz)?+*", seed) + other_run(rounds, seed);
    for (int i = 0; i < rounds; i += 3)
        result += helper(i) + collatz((unsigned long)i + 1);
    if (seed > 1)
        result += sieve(rounds * 4) + sorted(rounds, seed);
    if (rounds > 90)
        result += rarely(seed);
    result += short_circuits(1 + seed % 5, 2, 12);
    if (argc > 7)
        result += never(argc);
    printf("result %d\n", result);
    return 0;
}
