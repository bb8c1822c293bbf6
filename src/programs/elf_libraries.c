/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include <anyprof/jobs.h>

#include "object/library_versions.h"

size_t apf_elf_libraries(char *to, size_t size)
{
    return object_libraries(to, size);
}
