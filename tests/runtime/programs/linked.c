/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Linked with the library of troubled.c: calls it, forks, calls it again in both. With an argument, dumps and begins
 * anew in between. */
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

extern int __llvm_profile_dump(void);
extern void __llvm_profile_reset_counters(void);
extern void counted_there(void);

__attribute__((noinline)) static void counted(void)
{
    __asm__ volatile("");
}

int main(int argc, char **argv)
{
    (void)argv;
    counted();
    counted_there();
    if (argc > 1) {
        __llvm_profile_dump();
        __llvm_profile_reset_counters();
    }
    int child = fork() == 0;
    counted();
    counted_there();
    if (child)
        exit(0);
    wait(NULL);
    return 0;
}
