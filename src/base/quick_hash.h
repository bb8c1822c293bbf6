/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A hash of three numbers that costs one multiplication. It is not keyed, so that the maker of a file can make numbers
 * collide: it is for caches, in which that costs no more than a miss. */
#ifndef BASE_QUICK_HASH_H
#define BASE_QUICK_HASH_H

#include <stdint.h>

/* 24 bits. */
static inline uint32_t quick_hash(uint64_t a, uint64_t b, uint64_t c)
{
    return (uint32_t)((a ^ (b << 24 | b >> 40) ^ c << 44) * 0x9E3779B97F4A7C15u >> 40);
}

#endif
