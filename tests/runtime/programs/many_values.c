/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* More values than there is room for. Without an argument: one site of 40 targets, the n-th of them called n times, so
 * that lists of 24 have to choose. With one: also 80 sites of 20 targets each, more than 1024 nodes can hold. */
#define APART __attribute__((noinline))
#define EIGHT(X, n) X(n##0) X(n##1) X(n##2) X(n##3) X(n##4) X(n##5) X(n##6) X(n##7)
#define FORTY(X) EIGHT(X, 1) EIGHT(X, 2) EIGHT(X, 3) EIGHT(X, 4) EIGHT(X, 5)
#define EIGHTY(X) FORTY(X) EIGHT(X, 6) EIGHT(X, 7) EIGHT(X, 11) EIGHT(X, 12) EIGHT(X, 13)

#define TARGET(n)                                                                                            \
    APART int target_##n(int x)                                                                              \
    {                                                                                                        \
        return x + n;                                                                                        \
    }
FORTY(TARGET)
#define ADDRESS(n) target_##n,
int (*const targets[])(int) = {FORTY(ADDRESS)};

#define SITE(n)                                                                                              \
    APART int site_##n(int (*call)(int))                                                                     \
    {                                                                                                        \
        return call(n) + n;                                                                                  \
    }
EIGHTY(SITE)
#define SITE_ADDRESS(n) site_##n,
int (*const sites[])(int (*)(int)) = {EIGHTY(SITE_ADDRESS)};

APART int many(int i)
{
    return targets[i](i);
}

int main(int argc, char **argv)
{
    int sum = 0;
    (void)argv;
    for (int round = 0; round < 40; round++) {
        for (int i = 0; i < 40; i++)
            sum += round <= i ? many(i) : 0;
    }
    for (int site = 0; argc > 1 && site < 80; site++) {
        for (int i = 0; i < 40; i++)
            sum += sites[site](targets[i % 20]);
    }
    return sum == 12345678;
}
