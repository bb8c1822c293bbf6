/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#define _DEFAULT_SOURCE /* for madvise, which is not POSIX's */
#include "base/large.h"

#include <stdint.h>
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
