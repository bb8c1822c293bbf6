/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Objects of clang 13 to 16 call these functions on systems whose section bounds clang does not know, bare metal
 * above all. The linker defines the bounds there too, so there is nothing to register. */
#include "rt_image.h"

RT_HIDDEN void __llvm_profile_register_function(void *record);
RT_HIDDEN void __llvm_profile_register_names_function(void *names, uint64_t size);

void __llvm_profile_register_function(void *record)
{
    (void)record;
}

void __llvm_profile_register_names_function(void *names, uint64_t size)
{
    (void)names;
    (void)size;
}
