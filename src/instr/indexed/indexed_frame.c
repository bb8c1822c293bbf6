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

/* ---- all records ---- */

struct frame_walk {
    struct indexed_reader *reader;
    const struct indexed_frame_visitor *visitor;
    uint64_t n; /* records so far */
};

/* An indexed_table_fn. */
static int begin_table(void *user, uint64_t n_items, struct apf_error *error)
{
    const struct frame_walk *w = (const struct frame_walk *)user;
    return w->visitor->begin(w->visitor->user, n_items, error);
}

/* An indexed_item_fn. */
static int take_item(void *user, const struct disk_item *item, struct apf_error *error)
{
    struct frame_walk *w = (struct frame_walk *)user;
    const struct indexed_reader *r = w->reader;
    struct cursor data = cursor_make_at(r->data + item->data, item->n_data, item->data, HOST_BIG_ENDIAN);
    const struct indexed_name name = {item->hash, {(const char *)r->data + item->key, item->n_key}};
    int code = indexed_expect_records(item->n_data, item->at + 16, error);
    r->instr->info.nameless += item->n_key == 0;
    while (code == APF_OK && cursor_left(&data)) {
        struct indexed_frame frame;
        struct value_block values;
        const uint64_t at = cursor_offset(&data);
        code = indexed_frame_read(&data, r->version, &frame, &values, error);
        if (code == APF_OK && ++w->n > r->options->max_records)
            return indexed_too_many(r, at, w->n, error);
        if (code == APF_OK)
            code = w->visitor->record(w->visitor->user, &name, &frame, error);
    }
    return code;
}

int indexed_frames_read(struct indexed_reader *r, const struct indexed_frame_visitor *visitor,
                        struct apf_error *error)
{
    struct frame_walk walk = {r, visitor, 0};
    uint64_t start = 0;
    int code = indexed_read_header(r, error);
    if (code == APF_OK)
        code = indexed_skip_summaries(r, &start, error);
    if (code == APF_OK)
        code = indexed_walk_table(r, start, begin_table, take_item, &walk, error);
    return code == APF_OK ? indexed_read_ids(r, error) : code;
}
