/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Large blocks of memory. */
#ifndef BASE_LARGE_H
#define BASE_LARGE_H

#include <stddef.h>
#include <stdint.h>

/* A block that is to begin with a large page is allocated larger by the size of one; what is not touched costs nothing.
 */
#define LARGE_PAGE ((size_t)2 << 20)
static inline uint8_t *large_align(uint8_t *p)
{
    return p + (size_t)(-(uintptr_t)p & (LARGE_PAGE - 1));
}

/* To be told of a block of n bytes before it is used, whatever n is. When it is large, the kernel is asked for large
 * pages: a fault for each small page costs more than most of what is done with its bytes. Only a hint. */
void large_block(void *p, size_t n);

#endif
