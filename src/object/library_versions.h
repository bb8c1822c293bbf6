/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The libraries that only libanyprof-elf uses. */
#ifndef OBJECT_LIBRARY_VERSIONS_H
#define OBJECT_LIBRARY_VERSIONS_H

#include <stddef.h>

/* Writes their names and versions; as apf_elf_libraries. */
size_t object_libraries(char *to, size_t size);

#endif
