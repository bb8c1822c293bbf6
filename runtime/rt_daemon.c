/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* daemon(3) forks, and the C library ends the parent without running handlers. With -Wl,--wrap=daemon the child
 * continues with the parent's counts. */
#include "rt_run.h"

RT_HIDDEN int __wrap_daemon(int stay, int keep_open);
int __real_daemon(int stay, int keep_open);

int __wrap_daemon(int stay, int keep_open)
{
    aprt_run_move(1);
    int result = __real_daemon(stay, keep_open);
    aprt_run_move(0);
    return result;
}
