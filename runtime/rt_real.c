/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The names that --wrap gives to the functions it wraps, for where it wraps none, when nobody calls them. References to
 * these may not be weak: they would find nothing in a static library. */
#include <unistd.h>

_Noreturn void __real_quick_exit(int code);
int __real_daemon(int stay, int keep_open);

void __real_quick_exit(int code)
{
    _exit(code);
}

int __real_daemon(int stay, int keep_open)
{
    return daemon(stay, keep_open);
}
