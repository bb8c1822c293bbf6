/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The names that --wrap gives to the wrapped functions, for programs linked without --wrap, which never call them.
 * These references may not be weak: in a static library a weak reference would not link the function. */
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
