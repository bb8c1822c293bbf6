/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Objects of clang 13 to 16 call these on systems for which they do not know the bounds of sections: on bare metal
 * above all. The linker gives us the bounds there too, so there is nothing to note. */
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
