/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* See rt_exit.c. What handlers of at_quick_exit count comes too late. */
#include "rt_run.h"

RT_HIDDEN _Noreturn void __wrap_quick_exit(int code);
/* Not there with --whole-archive, when nobody comes here either. */
RT_WEAK _Noreturn void __real_quick_exit(int code);

void __wrap_quick_exit(int code)
{
    rt_run_flush();
    __real_quick_exit(code);
}
