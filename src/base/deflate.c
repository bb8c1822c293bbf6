/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "base/deflate.h"

#include <zlib.h>

#include <anyprof/error.h>

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
