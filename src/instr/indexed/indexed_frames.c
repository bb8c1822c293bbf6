/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "instr/indexed/indexed_frames.h"

#include "base/error.h"

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
