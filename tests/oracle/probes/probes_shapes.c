/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* For probes_asm.py: calls that are inlined, recursion, indirect calls, a switch, loops that are unrolled, and a part
 * that is cold. No headers, so that it can be compiled for any target. */
int printf(const char *format, ...);
__attribute__((noreturn)) void exit(int code);
__attribute__((cold, noinline)) void complain(const char *why, int n);

typedef int operation(int);

static int twice(int x)
{
    return x & 1 ? 2 * x + 1 : 2 * x;
}

static inline int mix(int x)
{
    if (x % 3 == 0)
        return twice(x) + 1;
    return twice(x + 1) - twice(x);
}

__attribute__((noinline)) int leaf(int x)
{
    return x * 3 + 1;
}

__attribute__((noinline)) static int fib(int n)
{
    return n < 2 ? n : fib(n - 1) + fib(n - 2);
}

/* Not "noinline": those are not split. */
int pick(int kind, int x)
{
    switch (kind) {
    case 0:
        return mix(x);
    case 1:
        return mix(x) + leaf(x);
    case 2:
        return fib(x & 7);
    case 3:
        return leaf(leaf(x));
    case 4:
        return x ^ 5;
    default:
        if (kind > 100) {
            complain("kind", kind);
            if (kind > 200) {
                complain("much too large", kind);
                exit(3);
            }
            x += mix(kind) + twice(x);
            complain("go on", x);
        }
        return x;
    }
}

__attribute__((noinline)) void complain(const char *why, int n)
{
    printf("%s: %d\n", why, n);
}

static operation *const operations[] = {leaf, twice, mix};

__attribute__((noinline)) int apply(int n, operation *f)
{
    int sum = 0;
    for (int i = 0; i < n; i++) {
        sum += mix(i);
        if (i % 7 == 3)
            sum += f(i);
    }
    return sum;
}

__attribute__((noinline)) int total(const int *p, int n)
{
    int sum = 0;
    for (int i = 0; i < n; i++)
        sum += p[i] > 3 ? p[i] : twice(p[i]);
    return sum;
}

int tail(int n)
{
    return pick(n & 3, n);
}

int main(int argc, char **argv)
{
    int numbers[64], sum = 0;
    (void)argv;
    for (int i = 0; i < 64; i++)
        numbers[i] = i * argc % 11;
    for (int i = 0; i < 110; i++)
        sum += pick(i, i) + tail(i) + apply(i, operations[i % 3]);
    printf("%d %d\n", sum, total(numbers, 64));
    return 0;
}
