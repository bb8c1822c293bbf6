// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Code that -hot-cold-split moves to work.cold.1. The GUIDs of its call probes have no descriptor.
__attribute__((cold, noinline)) void report(int x)
{
    __asm__ volatile("" ::"r"(x));
}

int work(int x, int *p)
{
    if (__builtin_expect(x > 100, 0)) {
        report(x);
        p[0] = x * 3;
        report(p[1]);
        p[2] += x;
        report(p[3] + x);
        for (int i = 0; i < x; i++)
            report(i);
        p[4] = x;
    }
    return x + 3;
}

int main(int argc, char **argv)
{
    int p[8] = {0};
    (void)argv;
    return work(argc, p) + work(argc + 1, p);
}
