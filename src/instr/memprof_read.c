/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The section itself, its schema and its records; memprof_stacks.c reads frames and stacks, memprof_data.c the data
 * access profiles. */
#include "instr/memprof_read.h"

#include <stdlib.h>

#include "base/error.h"
#include "instr/indexed_layout.h"

#define ITEM_HEAD 24u /* hash, key size, data size */

int memprof_bad(struct apf_error *error, const char *where, uint64_t offset, uint64_t found,
                uint64_t expected, const char *detail)
{
    struct error_at at = {where, offset, found, expected};
    return error_bound(error, APF_MALFORMED, at, "%s", detail);
}

static bool has(const struct memprof_reader *r, unsigned cap)
{
    return (memprof_caps(r->version) & cap) != 0;
}

/* ---- tables ---- */

static int read_item(struct memprof_reader *r, const struct memprof_table *t, struct cursor *c,
                     struct apf_error *error)
{
    uint64_t at = cursor_offset(c), left = cursor_left(c), hash = cursor_u64(c), key_size = 8;
    if (!t->no_key_size)
        key_size = cursor_u64(c);
    uint64_t data_size = cursor_u64(c);
    if (!c->failed && key_size != 8)
        return memprof_bad(error, t->where, at + 8, key_size, 8, "key of another size than 8 bytes");
    uint64_t key = cursor_u64(c);
    if (c->failed)
        return memprof_bad(error, t->where, at, left, ITEM_HEAD, "item runs past the end of its table");
    if (key != hash)
        return memprof_bad(error, t->where, at, hash, key, "hash of a key is not the key");
    left = cursor_left(c);
    struct cursor data = cursor_sub(c, data_size);
    if (c->failed)
        return memprof_bad(error, t->where, at, data_size, left, "data runs past the end of its table");
    int code = t->item(r, key, at, &data, error);
    if (code == APF_OK && cursor_left(&data))
        return memprof_bad(error, t->where, cursor_offset(&data), cursor_left(&data), 0,
                           "bytes behind the data of an item");
    return code;
}

int memprof_read_table(struct memprof_reader *r, const struct memprof_table *t, struct apf_error *error)
{
    struct cursor buckets = cursor_make(r->data, r->n, HOST_BIG_ENDIAN);
    cursor_skip(&buckets, t->buckets);
    uint64_t left = cursor_left(&buckets), n_buckets = cursor_u64(&buckets), n_items = cursor_u64(&buckets);
    if (buckets.failed || t->payload > t->buckets)
        return memprof_bad(error, t->where, r->start, t->payload > t->buckets ? t->payload : t->buckets,
                           r->n < 16 ? 0 : r->n - 16, "table lies outside the file");
    if (!n_buckets || n_buckets & (n_buckets - 1) || !cursor_array(&buckets, n_buckets, 8))
        return memprof_bad(error, t->where, t->buckets, n_buckets, left / 8,
                           "number of buckets is no power of two, or does not fit");
    if (n_items > (t->buckets - t->payload) / ITEM_HEAD)
        return memprof_bad(error, t->where, t->buckets + 8, n_items, (t->buckets - t->payload) / ITEM_HEAD,
                           "more entries than fit in the table");
    struct cursor items = cursor_make(r->data, (size_t)t->buckets, HOST_BIG_ENDIAN);
    cursor_skip(&items, t->payload);
    for (uint64_t done = 0; done < n_items;) {
        uint64_t at = cursor_offset(&items);
        uint16_t in_bucket = cursor_u16(&items);
        if (in_bucket == 0)
            return memprof_bad(error, t->where, at, 0, 1, "empty bucket in the table");
        for (uint16_t i = 0; i < in_bucket && done < n_items; i++, done++) {
            int code = read_item(r, t, &items, error);
            if (code != APF_OK)
                return code;
        }
    }
    return APF_OK;
}

/* ---- records ---- */

static void read_block(const struct memprof_reader *r, const uint8_t *p, uint64_t values[APF_MEMPROF_FIELDS])
{
    for (unsigned i = 0; i < r->n_schema; i++) {
        unsigned bytes = memprof_field_bytes(r->schema[i]);
        values[r->schema[i]] = bytes == 4 ? load32le(p) : load64le(p);
        p += bytes;
    }
}

/* The stack of an entry of a record, in the way of the version. */
static int read_stack(struct memprof_reader *r, struct cursor *c, uint32_t *stack, struct apf_error *error)
{
    uint64_t at = cursor_offset(c);
    if (has(r, MEMPROF_CAP_LISTS))
        return memprof_read_stack(r, c, stack, error);
    uint64_t id = has(r, MEMPROF_CAP_ARRAYS) ? cursor_u32(c) : cursor_u64(c);
    if (c->failed)
        return memprof_bad(error, "indexed.memprof.record", at, cursor_left(c), 8, "record is cut off");
    return memprof_find_stack(r, id, at, stack, error);
}

static int read_allocs(struct memprof_reader *r, struct cursor *c, uint32_t function, struct apf_error *error)
{
    uint64_t at = cursor_offset(c), n = cursor_u64(c);
    if (c->failed || n > cursor_left(c) / 4)
        return memprof_bad(error, "indexed.memprof.record.allocs", at, n, cursor_left(c) / 4,
                           "more contexts than fit in the record");
    for (uint64_t i = 0; i < n; i++) {
        uint64_t values[APF_MEMPROF_FIELDS] = {0};
        uint32_t stack = 0;
        int code = read_stack(r, c, &stack, error);
        if (code != APF_OK)
            return code;
        at = cursor_offset(c);
        const uint8_t *p = cursor_bytes(c, r->block_bytes);
        if (!p)
            return memprof_bad(error, "indexed.memprof.record.block", at, cursor_left(c), r->block_bytes,
                               "record is cut off");
        read_block(r, p, values);
        memprof_push_alloc(r->m, function, stack, r->m->info.schema, values);
    }
    return APF_OK;
}

static int read_sites(struct memprof_reader *r, struct cursor *c, uint32_t function, struct apf_error *error)
{
    uint64_t at = cursor_offset(c), n = cursor_u64(c);
    if (c->failed || n > cursor_left(c) / 4)
        return memprof_bad(error, "indexed.memprof.record.call_sites", at, n, cursor_left(c) / 4,
                           "more call sites than fit in the record");
    for (uint64_t i = 0; i < n; i++) {
        uint32_t stack = 0;
        int code = read_stack(r, c, &stack, error);
        if (code != APF_OK)
            return code;
        uint32_t site = memprof_push_site(r->m, function, stack);
        if (!has(r, MEMPROF_CAP_DATA))
            continue;
        at = cursor_offset(c);
        uint64_t n_callees = cursor_u64(c), left = cursor_left(c) / 8;
        const uint8_t *p = cursor_array(c, n_callees, 8);
        if (!p)
            return memprof_bad(error, "indexed.memprof.record.callees", at, n_callees, left,
                               "more callees than fit in the record");
        for (uint64_t k = 0; k < n_callees; k++)
            memprof_push_callee(r->m, site, load64le(p + 8 * k));
    }
    return APF_OK;
}

static int read_record(struct memprof_reader *r, uint64_t key, uint64_t at, struct cursor *data,
                       struct apf_error *error)
{
    bool known;
    if (r->m->functions.n >= r->options->max_records) {
        struct error_at place = {"indexed.memprof.records", at, r->m->functions.n + 1,
                                 r->options->max_records};
        return error_at(error, APF_LIMIT, place, "more functions than the limit allows");
    }
    uint32_t function = memprof_function_number(r->m, key, &known);
    if (known)
        return memprof_bad(error, "indexed.memprof.record.guid", at, key, 0, "a function a second time");
    int code = read_allocs(r, data, function, error);
    if (code == APF_OK)
        code = read_sites(r, data, function, error);
    return code == APF_OK ? memprof_check(r->m, "indexed.memprof.records", at, error) : code;
}

/* ---- the section ---- */

static int read_schema(struct memprof_reader *r, struct cursor *c, struct apf_error *error)
{
    static const char where[] = "indexed.memprof.schema";
    uint64_t at = cursor_offset(c), n = cursor_u64(c);
    uint32_t seen = 0;
    if (c->failed || n >= APF_MEMPROF_FIELDS)
        return memprof_bad(error, where, at, n, APF_MEMPROF_FIELDS - 1, "memprof schema invalid");
    for (uint64_t i = 0; i < n; i++) {
        at = cursor_offset(c);
        uint64_t field = cursor_u64(c);
        if (c->failed || field == 0 || field >= APF_MEMPROF_FIELDS || seen & memprof_bit((unsigned)field))
            return memprof_bad(error, where, at, field, APF_MEMPROF_FIELDS - 1, "memprof schema invalid");
        seen |= memprof_bit((unsigned)field);
        r->schema[r->n_schema++] = (uint8_t)field;
        r->block_bytes += memprof_field_bytes((unsigned)field);
    }
    r->m->info.schema = seen;
    return APF_OK;
}

/* Versions 0 to 2. */
static int read_tables(struct memprof_reader *r, struct cursor *c, struct apf_error *error)
{
    uint64_t at = cursor_offset(c), left = cursor_left(c), records = cursor_u64(c), frames = cursor_u64(c),
             frame_table = cursor_u64(c), stacks = 0, stack_table = 0;
    if (has(r, MEMPROF_CAP_STACK_TABLE)) {
        stacks = cursor_u64(c);
        stack_table = cursor_u64(c);
    }
    if (c->failed)
        return memprof_bad(error, "indexed.memprof.header", at, left,
                           has(r, MEMPROF_CAP_STACK_TABLE) ? 40 : 24, "header is cut off");
    int code = read_schema(r, c, error);
    if (code == APF_OK)
        code = memprof_read_frame_table(r, frames, frame_table, error);
    if (code == APF_OK && has(r, MEMPROF_CAP_STACK_TABLE))
        code = memprof_read_stack_table(r, stacks, stack_table, error);
    struct memprof_table table = {"indexed.memprof.record_table", cursor_offset(c), records, false,
                                  read_record};
    return code == APF_OK ? memprof_read_table(r, &table, error) : code;
}

static int read_summary(struct memprof_reader *r, struct cursor *c, struct apf_error *error)
{
    struct apf_memprof_summary *s = &r->m->info.summary;
    uint64_t *words[MEMPROF_SUMMARY_WORDS] = {&s->contexts,      &s->cold_contexts, &s->hot_contexts,
                                              &s->max_cold_size, &s->max_warm_size, &s->max_hot_size};
    uint64_t at = cursor_offset(c), n = cursor_u32(c), left = cursor_left(c) / 8;
    const uint8_t *p = cursor_array(c, n, 8);
    if (!p || n < MEMPROF_SUMMARY_WORDS)
        return memprof_bad(error, "indexed.memprof.summary", at, n, p ? MEMPROF_SUMMARY_WORDS : left,
                           "summary is too short, or does not fit");
    for (size_t i = 0; i < MEMPROF_SUMMARY_WORDS; i++)
        *words[i] = load64le(p + 8 * i);
    r->m->has_summary = true;
    return APF_OK;
}

/* Versions 3 and 4. */
static int read_arrays(struct memprof_reader *r, struct cursor *c, struct apf_error *error)
{
    uint64_t at = cursor_offset(c), left = cursor_left(c), words = cursor_u64(c), records = cursor_u64(c),
             record_table = cursor_u64(c), data = 0;
    int code = APF_OK;
    if (has(r, MEMPROF_CAP_DATA))
        data = cursor_u64(c);
    if (c->failed)
        return memprof_bad(error, "indexed.memprof.header", at, left, has(r, MEMPROF_CAP_DATA) ? 32 : 24,
                           "header is cut off");
    if (has(r, MEMPROF_CAP_DATA))
        code = read_summary(r, c, error);
    if (code == APF_OK)
        code = read_schema(r, c, error);
    if (code == APF_OK)
        code = memprof_read_arrays(r, cursor_offset(c), words, records, error);
    struct memprof_table table = {"indexed.memprof.record_table", records, record_table, false, read_record};
    if (code == APF_OK)
        code = memprof_read_table(r, &table, error);
    return code == APF_OK && data ? memprof_read_data(r, data, error) : code;
}

static int read_section(struct memprof_reader *r, uint64_t start, struct apf_error *error)
{
    struct cursor c = cursor_make(r->data, r->n, HOST_BIG_ENDIAN);
    cursor_skip(&c, start);
    struct cursor first = c;
    uint64_t word = cursor_u64(&c);
    if (c.failed)
        return memprof_bad(error, "indexed.header.memprof_offset", INDEXED_MEMPROF_AT, start,
                           r->n < 8 ? 0 : r->n - 8, "MemProf data lies outside the file");
    if (!memprof_version_of(word, start, &r->version)) {
        struct error_at at = {"indexed.memprof.version", start, word, MEMPROF_MAX_VERSION};
        return error_at(error, APF_UNSUPPORTED_VERSION, at,
                        "MemProf version %llu; the newest that is read is %u", (unsigned long long)word,
                        MEMPROF_MAX_VERSION);
    }
    r->m->info.version = (int32_t)r->version;
    if (!has(r, MEMPROF_CAP_MARK))
        c = first;
    return has(r, MEMPROF_CAP_ARRAYS) ? read_arrays(r, &c, error) : read_tables(r, &c, error);
}

int memprof_read(struct apf_memprof **memprof, const uint8_t *data, size_t n, uint64_t start,
                 const struct read_options *options, struct apf_error *error)
{
    struct memprof_reader r = {
        .m = memprof_new(options->max_records), .options = options, .data = data, .n = n, .start = start};
    *memprof = NULL;
    if (!r.m)
        return error_memory(error);
    r.budget = profile_name_budget(options, n);
    int code = read_section(&r, start, error);
    if (code == APF_OK)
        code = memprof_group(r.m, false, error);
    VEC_FREE(&r.frame_ids);
    VEC_FREE(&r.frames);
    VEC_FREE(&r.stack_ids);
    VEC_FREE(&r.stacks);
    VEC_FREE(&r.path);
    hash_index_free(&r.by_frame_id);
    hash_index_free(&r.by_stack_id);
    free(r.word_nodes);
    if (code == APF_OK)
        *memprof = r.m;
    else
        memprof_free(r.m);
    return code;
}
