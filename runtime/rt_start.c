/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The start of the runtime in an instrumented program. Drivers ask the linker for __llvm_profile_runtime; a program
 * that defines it itself is left alone until it calls something, as with compiler-rt. */
#include "rt_api.h"

RT_HIDDEN int __llvm_profile_runtime;

__attribute__((constructor)) static void start(void)
{
    __llvm_profile_initialize();
}
