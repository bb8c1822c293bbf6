/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "partial/partial_format.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

/* The second run's digest is the seed of the first one's: no state needs memory. */
uint64_t partial_checksum(const uint8_t *head, size_t n_head, const uint8_t *p, size_t n)
{
    return XXH3_64bits_withSeed(head, n_head, n ? XXH3_64bits(p, n) : 0);
}
