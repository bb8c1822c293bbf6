/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "instr/partial/partial_classes.h"

#include "base/error.h"

/* ---- the whole ---- */

void partial_write_whole(struct partial_writer *file, const struct partial_whole *whole)
{
    partial_number(file, whole->variant);
    partial_number(file, whole->trace_reservoir);
    partial_number(file, whole->length);
    partial_end_record(file);
}

int partial_read_whole(struct partial_reader *file, struct partial_whole *whole, struct apf_error *error)
{
    bool more;
    int code = partial_next(file, PARTIAL_WHOLE, &more, error);
    if (code == APF_OK && !more)
        code = partial_wrong(file, "partial.whole", "the section is missing", error);
    if (code != APF_OK)
        return code;
    whole->variant = cursor_uleb128(&file->c);
    whole->trace_reservoir = cursor_uleb128(&file->c);
    whole->length = cursor_uleb128(&file->c);
    return partial_check(file, "partial.whole", error);
}

/* ---- binary ids ---- */

void partial_write_ids(struct partial_writer *file, const struct apf_str *ids, size_t n)
{
    partial_number(file, n);
    for (size_t i = 0; i < n; i++)
        partial_text(file, ids[i]);
}

int partial_read_ids(struct partial_reader *file, struct arena *arena, const struct apf_str **ids, size_t *n,
                     struct apf_error *error)
{
    const uint64_t number = cursor_uleb128(&file->c);
    file->c.failed |= number > cursor_left(&file->c);
    struct apf_str *list = arena_array(arena, file->c.failed ? 0 : (size_t)number, sizeof *list);
    for (size_t i = 0; list && !file->c.failed && i < number; i++)
        list[i] = partial_read_text(file);
    int code = list ? partial_check(file, "partial.ids", error) : error_memory(error);
    *ids = code == APF_OK ? list : NULL;
    *n = code == APF_OK ? (size_t)number : 0;
    for (size_t i = 0; i < *n && code == APF_OK; i++)
        if (!(list[i].p = arena_text(arena, list[i].p, list[i].n)))
            code = error_memory(error);
    return code;
}

/* ---- classes ---- */

void partial_write_class(struct partial_writer *file, const struct partial_class *c)
{
    partial_number(file, c->class);
    partial_number(file, c->hollow);
    partial_number(file, c->weight);
    partial_number(file, c->extra_records);
    partial_write_ids(file, c->ids, c->n_ids);
    partial_end_record(file);
}

int partial_read_class(struct partial_reader *file, struct arena *arena, struct partial_class *c, bool *more,
                       struct apf_error *error)
{
    int code = partial_next(file, PARTIAL_CLASSES, more, error);
    *c = (struct partial_class){.class = 0};
    if (code != APF_OK || !*more)
        return code;
    const uint64_t class = cursor_uleb128(&file->c), hollow = cursor_uleb128(&file->c);
    c->weight = cursor_uleb128(&file->c);
    c->extra_records = cursor_uleb128(&file->c);
    code = partial_read_ids(file, arena, &c->ids, &c->n_ids, error);
    if (code == APF_OK && (class > UINT32_MAX || hollow > 1))
        code = partial_wrong(file, "partial.class", "a class cannot be as this one", error);
    c->class = (uint32_t)class;
    c->hollow = hollow != 0;
    return code;
}
