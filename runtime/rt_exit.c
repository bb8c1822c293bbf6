/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Ends of the process at which nothing is written otherwise. Linked where it is asked for, with
 * -Wl,--wrap=_exit -Wl,--wrap=_Exit -Wl,--wrap=quick_exit. All in one: where quick_exit is weak, as in glibc, lld looks
 * for nothing that would take its place. */
#include "rt_run.h"
#include "rt_target.h"

#include <sys/syscall.h>
#include <unistd.h>

RT_HIDDEN _Noreturn void __wrap__exit(int code);
RT_HIDDEN _Noreturn void __wrap__Exit(int code);
RT_HIDDEN _Noreturn void __wrap_quick_exit(int code);
_Noreturn void __real_quick_exit(int code);

/* Not by way of _exit, which means this here. */
#ifdef SYS_exit_group
#define LEAVE SYS_exit_group
#else
#define LEAVE SYS_exit
#endif

void __wrap__exit(int code)
{
    aprt_run_flush();
    aprt_target_leave();
    for (;;)
        syscall(LEAVE, code);
}

void __wrap__Exit(int code)
{
    __wrap__exit(code);
}

/* What handlers of at_quick_exit count comes too late. */
void __wrap_quick_exit(int code)
{
    aprt_run_flush();
    aprt_target_leave();
    __real_quick_exit(code);
}
