/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* BLAKE3, as far as ids need it. */
#ifndef BASE_BLAKE3_H
#define BASE_BLAKE3_H

#include <stddef.h>
#include <stdint.h>

/* The first 8 bytes of the hash, read little-endian. */
uint64_t blake3_id(const void *p, size_t n);

#endif
