/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* sample_use.py compiles this with profiles that it makes up: it knows the functions, and how many lines they have. */
int outside(int x);

static int small(int x)
{
    if (x & 1)
        return x * 3;
    return x ^ 21;
}

static int middle(int x)
{
    int sum = 0;
    for (int i = 0; i < x; i++)
        sum += i % 5 ? small(i) : outside(i);
    return sum;
}

__attribute__((noinline)) static int alone(int x)
{
    switch (x & 7) {
    case 0:
        return outside(x);
    case 1:
        return x + 1;
    case 2:
        return middle(x);
    case 3:
        return x << 3;
    default:
        return small(x);
    }
}

int rare(int x)
{
    while (x > 100 && outside(x))
        x -= x > 1000 ? 77 : 3;
    return x;
}

int often(int n, int (*call)(int))
{
    int sum = 0;
    for (int i = 0; i < n; i++) {
        if (i % 3 == 0)
            sum += small(i) + middle(i);
        else if (call(i) > sum)
            sum -= alone(i);
        for (int k = 0; k < 3 && (i & k); k++)
            sum += small(k);
        if (sum < 0)
            sum = rare(-sum);
    }
    return sum;
}

int start(int n)
{
    int (*call)(int) = n > 5 ? rare : alone;
    return n > 1 ? often(n, call) : middle(n);
}
