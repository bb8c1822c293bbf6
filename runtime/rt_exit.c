/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Writes the profile at ends of the process that run no handlers. Linked on request, with -Wl,--wrap=_exit
 * -Wl,--wrap=_Exit -Wl,--wrap=quick_exit. All in one object: where quick_exit is weak, as in glibc, lld does not
 * search archives for a replacement. */
#include "rt_run.h"
#include "rt_target.h"

#include <sys/syscall.h>
#include <unistd.h>

RT_HIDDEN _Noreturn void __wrap__exit(int code);
RT_HIDDEN _Noreturn void __wrap__Exit(int code);
RT_HIDDEN _Noreturn void __wrap_quick_exit(int code);
_Noreturn void __real_quick_exit(int code);

void __wrap__exit(int code)
{
    aprt_run_flush();
    aprt_target_leave();
    for (;;)
        syscall(SYS_exit_group, code); /* _exit would be this function */
}

void __wrap__Exit(int code)
{
    __wrap__exit(code);
}

/* Handlers of at_quick_exit run later; what they count is lost. */
void __wrap_quick_exit(int code)
{
    aprt_run_flush();
    aprt_target_leave();
    __real_quick_exit(code);
}
