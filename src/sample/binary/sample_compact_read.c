/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Compact binary of LLVM 7 to 16: as raw binary with hashes for names, and a table at the end that says where each
 * function is. LLVM reads functions through this table only. */
#include "base/error.h"
#include "sample/binary/sample_binary_read.h"
#include "sample/binary/sample_start.h"
#include "sample/layout/sample_layout.h"

bool sample_compact_begins(const uint8_t *data, size_t n)
{
    return sample_start_is(data, n, SAMPLE_MAGIC_COMPACT);
}

struct place {
    uint64_t offset; /* of the function */
    bool replaced;   /* a later entry of the name counts */
};

struct places {
    uint64_t table; /* offset of the table of functions */
    uint64_t first; /* offset after the word that has it */
    uint64_t end;   /* offset after the table and all functions */
    VEC(struct place) list;
};

/* Reads the parts before the functions. */
static int read_head(struct sample_decoder *d, struct places *places, struct apf_error *error)
{
    const struct sample_version *version;
    int code = sample_start_read(d, APF_SAMPLE_COMPACT, &version, error);
    d->s->info.flags |= APF_SAMPLE_MD5;
    d->where = code == APF_OK ? "sample.compact.summary" : d->where;
    if (code == APF_OK)
        code = sample_decode_summary(d, error);
    d->where = code == APF_OK ? "sample.compact.names" : d->where;
    if (code == APF_OK)
        code = sample_decode_hashes(d, false, error);
    if (code == APF_OK)
        code = sample_decode_intern(d, error);
    if (code != APF_OK)
        return code;
    d->where = "sample.compact.table_offset";
    places->table = cursor_u64(&d->c);
    if (d->c.failed)
        return sample_decode_bound(d, APF_SAMPLE_TRUNCATED, cursor_left(&d->c), sizeof places->table,
                                   "offset of the function offset table", error);
    places->first = cursor_offset(&d->c);
    return APF_OK;
}

/* Reads n entries; last[name], all 0 at first, becomes the number of the last entry of a name, from 1. */
static int read_entries(struct sample_decoder *d, struct places *places, uint64_t *last, uint64_t n,
                        struct apf_error *error)
{
    for (uint64_t i = 0; i < n; i++) {
        size_t name;
        int code = sample_decode_index(d, d->table.n, "number of a name", &name, error);
        if (code != APF_OK)
            return code;
        uint64_t offset = sample_decode_number(d);
        if (d->c.failed)
            return sample_decode_cut(d, "offset of a function", error);
        if (last[name])
            places->list.data[last[name] - 1].replaced = true;
        last[name] = i + 1;
        struct place place = {offset, false};
        places->list.data[places->list.n++] = place;
    }
    return APF_OK;
}

/* Moves to an offset of the file, which is not after its end. */
static void move_to(struct sample_decoder *d, uint64_t offset)
{
    d->c.p = d->c.base + offset;
    d->c.failed = false;
}

static uint64_t file_size(const struct sample_decoder *d)
{
    return (uint64_t)(d->c.end - d->c.base);
}

static int read_table(struct sample_decoder *d, struct places *places, struct apf_error *error)
{
    uint64_t n, size = file_size(d);
    if (places->table > size || places->table < places->first) {
        move_to(d, places->first - sizeof places->table);
        return sample_decode_bound(d, APF_SAMPLE_TRUNCATED, places->table,
                                   places->table > size ? size : places->first,
                                   "offset of the function offset table", error);
    }
    d->where = "sample.compact.table";
    move_to(d, places->table);
    int code = sample_decode_count(d, &n, 2, "number of functions", error);
    if (code != APF_OK)
        return code;
    uint64_t *last = calloc(d->table.n + 1, sizeof *last);
    code =
        last && VEC_RESERVE(&places->list, n) ? read_entries(d, places, last, n, error) : error_memory(error);
    free(last);
    places->end = cursor_offset(&d->c);
    d->progress.known = n;
    return code;
}

/* Reads the functions of the table. Those of a good file do not overlap, so together they are smaller than the file. */
static int read_listed(struct sample_decoder *d, struct places *places, struct apf_error *error)
{
    uint64_t size = file_size(d), left = size;
    d->where = "sample.compact.function";
    for (size_t i = 0; i < places->list.n && !d->stopped; i++) {
        uint64_t offset = places->list.data[i].offset;
        if (places->list.data[i].replaced)
            continue;
        if (offset >= size) {
            move_to(d, places->table);
            return sample_decode_bound(d, APF_SAMPLE_TRUNCATED, offset, size - 1, "offset of a function",
                                       error);
        }
        move_to(d, offset);
        int code = sample_decode_function(d, error);
        if (code != APF_OK)
            return code;
        uint64_t length = cursor_offset(&d->c) - offset;
        if (length > left) {
            move_to(d, offset);
            return sample_decode_bound(d, APF_SAMPLE_MALFORMED, length, left, "functions overlap", error);
        }
        left -= length;
        places->end = places->end < offset + length ? offset + length : places->end;
        sample_decode_counted(d);
    }
    if (!d->stopped)
        d->s->findings[SAMPLE_FINDING_UNREAD_END] = size - places->end;
    return APF_OK;
}

/* Reads functions that are whole although the table is damaged: they come one after the other before it. */
static int read_unlisted(struct sample_decoder *d, const struct places *places)
{
    uint64_t size = file_size(d), end = places->table < size ? places->table : size;
    if (end < places->first)
        return APF_SAMPLE_TRUNCATED;
    d->where = "sample.compact.function";
    move_to(d, places->first);
    d->progress.end = places->first;
    d->c.end = d->c.base + end;
    return sample_decode_functions(d, sample_decode_function, NULL);
}

static int read_parts(struct sample_decoder *d, struct places *places, struct apf_error *error)
{
    int code = read_head(d, places, error);
    if (code != APF_OK)
        return code;
    code = read_table(d, places, error);
    if (code == APF_OK)
        return read_listed(d, places, error);
    if (code == APF_NO_MEMORY || (!d->options->progress && !d->options->max_functions))
        return code;
    int salvaged = read_unlisted(d, places);
    if (salvaged == APF_NO_MEMORY)
        return error_memory(error);
    return d->stopped ? APF_OK : code;
}

int sample_compact_read(struct apf_sample *s, const uint8_t *data, size_t n,
                        const struct sample_read_options *o, struct apf_error *error)
{
    struct places places = {0};
    struct sample_decoder d = sample_start(s, data, n, o);
    s->info.flags |= o->fs ? APF_SAMPLE_FS : 0;
    d.mask = o->fs && o->discriminator ? o->discriminator : UINT32_MAX;
    int code = read_parts(&d, &places, error);
    VEC_FREE(&places.list);
    return sample_start_end(&d, code, error);
}
