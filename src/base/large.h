/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Large blocks of memory. */
#ifndef BASE_LARGE_H
#define BASE_LARGE_H

#include <stddef.h>
#include <stdint.h>

#include "base/compiler.h"

/* A block that shall begin with a large page is allocated larger by the size of one; untouched pages cost nothing. */
#define LARGE_PAGE ((size_t)2 << 20)
static inline uint8_t *large_align(uint8_t *p)
{
    return p + (size_t)(-(uintptr_t)p & (LARGE_PAGE - 1));
}

/* Asks the kernel for large pages if the block is large; called before a block is used. A fault for each small page
 * costs more than most work on its bytes. Only a hint. */
void large_block(void *p, size_t n);
/* Allocates n zeroed bytes, with large pages if it is a large block; NULL: memory is out. *block: what is to be
 * freed. */
void *large_zeros(size_t n, void **block) MUST_USE;

#endif
