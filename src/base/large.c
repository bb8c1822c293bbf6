/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#define _DEFAULT_SOURCE /* for madvise, which is not POSIX's */
#include "base/large.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

void large_block(void *p, size_t n)
{
#ifdef MADV_HUGEPAGE
    /* Only pages that lie in the block as a whole. */
    size_t skip = (size_t)(-(uintptr_t)p & (LARGE_PAGE - 1));
    if (!p || n < skip + LARGE_PAGE)
        return;
    (void)madvise((char *)p + skip, (n - skip) & ~(LARGE_PAGE - 1), MADV_HUGEPAGE);
#else
    (void)p;
    (void)n;
#endif
}

void *large_zeros(size_t n, void **block)
{
    const bool large = n >= LARGE_PAGE;
    if (n > SIZE_MAX - LARGE_PAGE || !(*block = malloc(large ? n + LARGE_PAGE : n)))
        return NULL;
    uint8_t *p = large ? large_align(*block) : *block;
    large_block(p, n);
    /* calloc would be slower: a page that is read before it is written costs a second fault, and stops other
     * threads. */
    return memset(p, 0, n);
}
