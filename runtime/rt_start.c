/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Starts the runtime in an instrumented program. Drivers make the linker look for __llvm_profile_runtime; in a
 * program that defines it itself the runtime does nothing until it is called, as with compiler-rt. */
#include "rt_api.h"

RT_HIDDEN int __llvm_profile_runtime;

__attribute__((constructor)) static void start_runtime(void)
{
    __llvm_profile_initialize();
}
