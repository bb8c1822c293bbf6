/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "base/deflate.h"

#include <zlib.h>

#include <anyprof/error.h>

#define MOST_GROWTH 256u
#define GROWTH_ANYWAY ((uint64_t)4 << 20)

uint64_t deflate_budget(uint64_t n, uint64_t max_bytes)
{
    uint64_t budget = n > UINT64_MAX / MOST_GROWTH / 2 ? max_bytes : GROWTH_ANYWAY + MOST_GROWTH * n;
    return budget < max_bytes ? budget : max_bytes;
}

int deflate_expand(const uint8_t *src, size_t n, uint8_t *dst, size_t m)
{
    /* Given no room at all, uncompress takes a stream of one byte for an empty one. */
    uint8_t byte;
    uLongf got = m ? m : 1;
    int result = uncompress(m ? dst : &byte, &got, src, n);
    if (result == Z_MEM_ERROR)
        return APF_NO_MEMORY;
    return result == Z_OK && got == m ? APF_OK : APF_UNCOMPRESS_FAILED;
}

size_t deflate_bound(size_t n)
{
    return compressBound(n);
}

bool deflate_compress(const uint8_t *src, size_t n, uint8_t *dst, size_t *m)
{
    uLongf room = *m;
    if (compress2(dst, &room, src, n, Z_BEST_COMPRESSION) != Z_OK)
        return false;
    *m = room;
    return true;
}
