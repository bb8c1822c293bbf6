/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Ends of the process at which nothing is written otherwise. Linked where it is asked for, with
 * -Wl,--wrap=_exit -Wl,--wrap=_Exit; rt_quick_exit.c with -Wl,--wrap=quick_exit. */
#include "rt_run.h"

#include <sys/syscall.h>
#include <unistd.h>

RT_HIDDEN _Noreturn void __wrap__exit(int code);
RT_HIDDEN _Noreturn void __wrap__Exit(int code);

/* Not by way of _exit, which means this here. */
#ifdef SYS_exit_group
#define LEAVE SYS_exit_group
#else
#define LEAVE SYS_exit
#endif

void __wrap__exit(int code)
{
    rt_run_flush();
    for (;;)
        syscall(LEAVE, code);
}

void __wrap__Exit(int code)
{
    __wrap__exit(code);
}
