/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "instr/indexed/indexed_frame.h"

#include "base/error.h"

/* LLVM uses this code for all damage in a record. */
static int bad_record(struct apf_error *error, const char *where, uint64_t at, uint64_t found,
                      uint64_t expected)
{
    return error_mismatch(error, APF_MALFORMED, where, at, found, expected, "profile data is empty");
}

static int read_counts(struct cursor *c, bool has_number, struct indexed_frame *out, struct apf_error *error)
{
    const uint64_t at = cursor_offset(c);
    const uint64_t n = has_number ? cursor_u64(c) : cursor_left(c) / 8;
    out->counts = cursor_array(c, n, 8);
    if (!out->counts || n == 0 || n > UINT32_MAX)
        return bad_record(error, "indexed.record.num_counters", at, n, cursor_left(c) / 8);
    out->n_counts = (uint32_t)n;
    return APF_OK;
}

/* Reads bytes that stand in a word each (versions 11 to 13), or one after the other, padded to 8 (14). */
static int read_bytes(struct cursor *c, const char *where, bool words, const uint8_t **bytes,
                      uint32_t *n_bytes, struct apf_error *error)
{
    const uint64_t at = cursor_offset(c);
    const uint64_t n = cursor_u64(c);
    const uint8_t *p = words ? cursor_array(c, n, 8) : cursor_bytes(c, n);
    if (p && !words)
        cursor_skip(c, pad8(n % 8));
    if (!p || c->failed || n > UINT32_MAX)
        return bad_record(error, where, at, n, cursor_left(c) / (words ? 8 : 1));
    *bytes = p;
    *n_bytes = (uint32_t)n;
    return APF_OK;
}

static int read_values(struct cursor *c, struct value_block *values, struct apf_error *error)
{
    const uint64_t at = cursor_offset(c);
    struct apf_error inner;
    if (value_block_read(c, APF_VALUE_KINDS, values, &inner) == APF_OK)
        return APF_OK;
    return bad_record(error, inner.where, inner.offset ? inner.offset : at, inner.found, inner.expected);
}

int indexed_frame_read(struct cursor *c, const struct indexed_version *version, struct indexed_frame *frame,
                       struct value_block *values, struct apf_error *error)
{
    static const struct indexed_frame empty;
    static const struct value_block no_values;
    const uint16_t caps = version->caps;
    *frame = empty;
    if (cursor_left(c) < 8)
        return bad_record(error, "indexed.record.hash", cursor_offset(c), cursor_left(c), 8);
    frame->hash = cursor_u64(c);
    frame->dense = (caps & INDEXED_CAP_BITMAP_DENSE) != 0;
    frame->bitmap_in_words = (caps & INDEXED_CAP_BITMAP_WORDS) != 0;
    int code = read_counts(c, (caps & INDEXED_CAP_COUNT_FIELD) != 0, frame, error);
    if (code == APF_OK && caps & (INDEXED_CAP_BITMAP_WORDS | INDEXED_CAP_BITMAP_BYTES))
        code = read_bytes(c, "indexed.record.bitmap", frame->bitmap_in_words, &frame->bitmap,
                          &frame->n_bitmap, error);
    if (code == APF_OK && caps & INDEXED_CAP_BITMAP_BYTES)
        code = read_bytes(c, "indexed.record.uniformity", false, &frame->uniformity, &frame->n_uniformity,
                          error);
    if (code == APF_OK && caps & INDEXED_CAP_VALUES)
        return read_values(c, values, error);
    *values = no_values;
    return code;
}

const uint8_t *indexed_frame_bitmap(const struct indexed_frame *frame, struct arena *arena)
{
    const size_t step = frame->bitmap_in_words ? 8 : 1;
    uint8_t *bytes = arena_bytes(arena, frame->n_bitmap);
    for (size_t i = 0; bytes && i < frame->n_bitmap; i++)
        bytes[i] = frame->bitmap[step * i];
    return bytes;
}

int indexed_expect_records(uint64_t n, uint64_t at, struct apf_error *error)
{
    return n ? APF_OK : bad_record(error, "indexed.table.item.data_size", at, 0, 16);
}
