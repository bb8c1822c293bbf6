/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* How perf.data begins. The readers of samples and those of BOLT's profiles both recognize it. */
#ifndef OBJECT_PERF_MAGIC_H
#define OBJECT_PERF_MAGIC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Whether the bytes begin with the magic, a number in the byte order of the machine. */
static inline bool perf_data_begins(const uint8_t *data, size_t n)
{
    return n >= 8 && (memcmp(data, "PERFILE2", 8) == 0 || memcmp(data, "2ELIFREP", 8) == 0);
}

#endif
