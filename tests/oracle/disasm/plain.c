// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// C without any library: local functions, recursion, indirect and tail calls, aliases, data between functions.
typedef int (*fn)(int);

__attribute__((noinline)) int leaf(int x)
{
    return x * 3 + 1;
}

static inline int mid(int x)
{
    if (x & 1)
        return leaf(x);
    return x + 2;
}

int top(int n, fn f)
{
    int s = 0;
    for (int i = 0; i < n; i++) {
        s += mid(i);
        if (i % 7 == 3)
            s += f(i);
    }
    return s;
}

int another_top(int, fn) __attribute__((alias("top")));
__attribute__((weak)) int weak_one(int x)
{
    return x ? leaf(x - 1) : 7;
}

static int recurse(int x)
{
    return x < 2 ? x : recurse(x - 1) + recurse(x - 2);
}

__attribute__((noinline)) static int tail(int x, fn f)
{
    return x > 100 ? f(x) : leaf(x);
}

unsigned choose(unsigned x)
{
    switch (x) {
    case 0:
        return 5;
    case 1:
        return x + (unsigned)tail(3, leaf);
    case 2:
        return 77;
    case 3:
        return x * 9;
    case 4:
        return (unsigned)recurse(6);
    default:
        return x / 3;
    }
}

#if defined(__x86_64__)
// Data, a locked instruction, a label in the middle, and instructions that only newer processors have.
__asm__(".text\n"
        ".globl in_assembly\n.type in_assembly,@function\n"
        "in_assembly:\n endbr64\n lock incl (%rax)\n lock\n cmpxchg %ecx,(%rdx)\n rep movsb\n"
        "in_the_middle:\n nopw 0x20(%rax,%rax)\n vpaddd %zmm1,%zmm2,%zmm3\n xbegin 1f\n"
        "1: notrack jmp *%rax\n ud2\n.size in_assembly, .-in_assembly\n"
        ".align 64\n"
        "same_address_b:\nsame_address_a:\n.globl Same_address\nSame_address:\n ret\n"
        ".section .text.other,\"ax\",@progbits\n"
        "other: nop\n jmp other\n"
        ".section .plainly_named,\"ax\",@progbits\n nop\n"
        ".text\n");
#endif

int main(int argc, char **argv)
{
    (void)argv;
    return top(argc * 1000, leaf) + (int)choose((unsigned)argc) + weak_one(argc);
}
