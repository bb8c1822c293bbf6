/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "base/deflate.h"

#include <limits.h>

#include <libdeflate.h>
#define ZLIB_CONST /* declares inputs const */
#include <zlib.h>

#include <anyprof/error.h>

/* Of libdeflate, whose highest one is 12. */
#define QUICK_LEVEL 6

#define MOST_GROWTH 256u
#define GROWTH_ANYWAY ((uint64_t)4 << 20)

uint64_t deflate_budget(uint64_t n, uint64_t max_bytes)
{
    uint64_t budget = n > UINT64_MAX / MOST_GROWTH / 2 ? max_bytes : GROWTH_ANYWAY + MOST_GROWTH * n;
    return budget < max_bytes ? budget : max_bytes;
}

int deflate_expand(const uint8_t *src, size_t n, uint8_t *dst, size_t m)
{
    uint8_t nothing;
    struct libdeflate_decompressor *d = libdeflate_alloc_decompressor();
    if (!d)
        return APF_NO_MEMORY;
    const enum libdeflate_result result = libdeflate_zlib_decompress(d, src, n, m ? dst : &nothing, m, NULL);
    libdeflate_free_decompressor(d);
    return result == LIBDEFLATE_SUCCESS ? APF_OK : APF_UNCOMPRESS_FAILED;
}

static uInt at_most(size_t n)
{
    return n < UINT_MAX ? (uInt)n : UINT_MAX;
}

int deflate_expand_part(const uint8_t *src, size_t n, uint8_t *dst, size_t m, size_t *got, bool *whole)
{
    z_stream z = {0};
    const uint8_t *end = src + n;
    int result = inflateInit(&z);
    *got = 0;
    *whole = false;
    if (result != Z_OK)
        return APF_NO_MEMORY;
    z.next_in = src;
    while (result == Z_OK) { /* Z_BUF_ERROR: the input has ended, or the output is full */
        z.avail_in = at_most((size_t)(end - z.next_in));
        uInt room = at_most(m - *got);
        z.next_out = dst + *got;
        z.avail_out = room;
        result = inflate(&z, Z_SYNC_FLUSH);
        *got += room - z.avail_out;
    }
    inflateEnd(&z);
    *whole = result == Z_STREAM_END && *got == m;
    return result == Z_MEM_ERROR ? APF_NO_MEMORY : APF_OK;
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

bool deflate_compress_quickly(const uint8_t *src, size_t n, uint8_t *dst, size_t *m)
{
    struct libdeflate_compressor *c = libdeflate_alloc_compressor(QUICK_LEVEL);
    if (!c)
        return false;
    *m = libdeflate_zlib_compress(c, src, n, dst, *m);
    libdeflate_free_compressor(c);
    return *m != 0;
}
