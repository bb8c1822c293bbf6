/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* How files begin that several rooms recognize, also those that do not read them. */
#ifndef BASE_FILE_MAGIC_H
#define BASE_FILE_MAGIC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

static inline bool elf_begins(const uint8_t *data, size_t n)
{
    return n >= 4 && memcmp(data, "\177ELF", 4) == 0;
}

/* The magic of perf.data is a number in the byte order of the machine. */
static inline bool perf_data_begins(const uint8_t *data, size_t n)
{
    return n >= 8 && (memcmp(data, "PERFILE2", 8) == 0 || memcmp(data, "2ELIFREP", 8) == 0);
}

/* The marker that LLVM writes before a document of YAML. */
static inline bool yaml_begins(const uint8_t *data, size_t n)
{
    return n >= 4 && memcmp(data, "---\n", 4) == 0;
}

#endif
