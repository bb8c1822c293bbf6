/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "sample/binary/sample_parts.h"

#include "base/deflate.h"
#include "base/error.h"
#include "sample/layout/sample_layout.h"

/* Inflates a stream of n bytes to `size` bytes. */
static int inflate_stream(struct sample_decoder *d, const uint8_t *stream, size_t n, size_t size,
                          struct sample_inflated *inflated, bool *whole, struct apf_error *error)
{
    size_t got = size;
    int code;
    inflated->bytes.n = 0;
    if (!VEC_RESERVE(&inflated->bytes, size + 1))
        return error_memory(error);
    if (whole)
        code = deflate_expand_part(stream, n, inflated->bytes.data, size, &got, whole);
    else
        code = deflate_expand(stream, n, inflated->bytes.data, size);
    if (code != APF_OK)
        return code == APF_NO_MEMORY ? error_memory(error)
                                     : sample_decode_wrong(d, APF_SAMPLE_UNCOMPRESS, "damaged stream", error);
    inflated->bytes.n = got;
    return APF_OK;
}

static int open_compressed(struct sample_decoder *d, const struct sample_section *section,
                           struct sample_inflated *inflated, bool *whole, struct apf_error *error)
{
    uint64_t size = sample_decode_number(d), n = sample_decode_number(d);
    size_t left = cursor_left(&d->c);
    if (d->c.failed)
        return sample_decode_cut(d, "sizes of a compressed section", error);
    if (n > left && !whole)
        return sample_decode_bound(d, APF_SAMPLE_TRUNCATED, n, left, "compressed size", error);
    if (size / DEFLATE_MAX_RATIO > n)
        return sample_decode_bound(d, APF_SAMPLE_UNCOMPRESS, size, n * DEFLATE_MAX_RATIO,
                                   "impossible inflated size", error);
    if (size > inflated->budget)
        return sample_decode_bound(d, APF_LIMIT, size, inflated->budget,
                                   "larger than the limit for inflated data", error);
    inflated->budget -= size;
    int code = inflate_stream(d, d->c.p, n < left ? (size_t)n : left, (size_t)size, inflated, whole, error);
    if (code != APF_OK)
        return code;
    d->c = cursor_make(inflated->bytes.data, inflated->bytes.n, HOST_BIG_ENDIAN);
    d->stored_at = section->offset;
    return APF_OK;
}

int sample_part_open(struct sample_decoder *d, const struct sample_section *section, const uint8_t *stored,
                     size_t n, struct sample_inflated *inflated, bool *whole, struct apf_error *error)
{
    d->where = section->kind->where;
    d->c = cursor_make_at(stored, n, section->offset, HOST_BIG_ENDIAN);
    d->stored_at = NO_OFFSET;
    if (whole)
        *whole = n == section->size;
    return section->flags & SAMPLE_FLAG_COMPRESSED ? open_compressed(d, section, inflated, whole, error)
                                                   : APF_OK;
}

int sample_part_end(const struct sample_decoder *d, struct apf_error *error)
{
    size_t left = cursor_left(&d->c);
    return left ? sample_decode_bound(d, APF_SAMPLE_MALFORMED, left, 0,
                                      "bytes that are left at the end of a section", error)
                : APF_OK;
}
