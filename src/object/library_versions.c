/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "object/library_versions.h"

#include <stdio.h>

#include <capstone/capstone.h>
#include <elfutils/libdwfl.h>

/* Capstone is loaded when there is something to disassemble, so this is the version of its headers. */
size_t object_libraries(char *to, size_t size)
{
    int n = snprintf(to, size, "elfutils %s, Capstone %d.%d", dwfl_version(NULL), (int)CS_API_MAJOR,
                     (int)CS_API_MINOR);
    return n > 0 ? (size_t)n : 0;
}
