/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "instr/memprof/memprof_read.h"

#include <stdlib.h>

#include "instr/layout/indexed_layout.h"
#include "instr/memprof/memprof_group.h"
#include "instr/memprof/memprof_stacks.h"
#include "instr/model/name_blob.h"

static bool has_cap(const struct memprof_reader *r, unsigned cap)
{
    return (memprof_caps(r->version) & cap) != 0;
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

/* Reads the stack of an allocation context or call site. */
static int read_stack(struct memprof_reader *r, struct cursor *c, uint32_t *stack, struct apf_error *error)
{
    uint64_t at = cursor_offset(c);
    if (has_cap(r, MEMPROF_CAP_LISTS))
        return memprof_read_stack(r, c, stack, error);
    uint64_t id = has_cap(r, MEMPROF_CAP_ARRAYS) ? cursor_u32(c) : cursor_u64(c);
    if (c->failed)
        return error_out_of_bounds(error, APF_MALFORMED, "indexed.memprof.record", at, cursor_left(c), 8,
                                   "record is cut off");
    return memprof_find_stack(r, id, at, stack, error);
}

static int read_allocs(struct memprof_reader *r, struct cursor *c, uint32_t function, struct apf_error *error)
{
    uint64_t at = cursor_offset(c), n = cursor_u64(c);
    if (c->failed || n > cursor_left(c) / 4)
        return error_out_of_bounds(error, APF_MALFORMED, "indexed.memprof.record.allocs", at, n,
                                   cursor_left(c) / 4, "more contexts than fit in the record");
    for (uint64_t i = 0; i < n; i++) {
        uint64_t values[APF_MEMPROF_FIELDS] = {0};
        uint32_t stack = 0;
        int code = read_stack(r, c, &stack, error);
        if (code != APF_OK)
            return code;
        at = cursor_offset(c);
        const uint8_t *p = cursor_bytes(c, r->block_bytes);
        if (!p)
            return error_out_of_bounds(error, APF_MALFORMED, "indexed.memprof.record.block", at,
                                       cursor_left(c), r->block_bytes, "record is cut off");
        read_block(r, p, values);
        memprof_push_alloc(r->m, function, stack, r->m->info.schema, values);
    }
    return APF_OK;
}

static int read_sites(struct memprof_reader *r, struct cursor *c, uint32_t function, struct apf_error *error)
{
    uint64_t at = cursor_offset(c), n = cursor_u64(c);
    if (c->failed || n > cursor_left(c) / 4)
        return error_out_of_bounds(error, APF_MALFORMED, "indexed.memprof.record.call_sites", at, n,
                                   cursor_left(c) / 4, "more call sites than fit in the record");
    for (uint64_t i = 0; i < n; i++) {
        uint32_t stack = 0;
        int code = read_stack(r, c, &stack, error);
        if (code != APF_OK)
            return code;
        uint32_t site = memprof_push_site(r->m, function, stack);
        if (!has_cap(r, MEMPROF_CAP_DATA))
            continue;
        at = cursor_offset(c);
        uint64_t n_callees = cursor_u64(c), left = cursor_left(c) / 8;
        const uint8_t *p = cursor_array(c, n_callees, 8);
        if (!p)
            return error_out_of_bounds(error, APF_MALFORMED, "indexed.memprof.record.callees", at, n_callees,
                                       left, "more callees than fit in the record");
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
        return error_out_of_bounds(error, APF_MALFORMED, "indexed.memprof.record.guid", at, key, 0,
                                   "repeated function");
    int code = read_allocs(r, data, function, error);
    if (code == APF_OK)
        code = read_sites(r, data, function, error);
    return code == APF_OK ? memprof_check(r->m, "indexed.memprof.records", at, error) : code;
}

/* ---- data access profiles ---- */

#define DATUM_BYTES 25u    /* without locations */
#define LOCATION_BYTES 12u /* number of a string, line */

static const char data_path[] = "indexed.memprof.data";

/* Reads the strings. After them the blob repeats those that are names of cold symbols. */
static int read_strings(struct memprof_reader *r, struct cursor *c, uint64_t *n_strings,
                        struct apf_error *error)
{
    uint64_t at = cursor_offset(c), left = cursor_left(c);
    uint64_t n = cursor_u64(c), n_cold = cursor_u64(c), size = cursor_u64(c);
    uint64_t budget = profile_name_budget(r->options, r->n);
    struct name_list list = {0};
    if (c->failed)
        return error_out_of_bounds(error, APF_MALFORMED, data_path, at, left, 24,
                                   "data access profiles are cut off");
    if (size > cursor_left(c))
        return error_out_of_bounds(error, APF_MALFORMED, data_path, at + 16, size, cursor_left(c),
                                   "strings run past the end");
    int code = name_chunks_strings(c, size, &budget, data_path, &r->m->arena, &list, error);
    if (code == APF_OK && (n > list.n || n_cold != list.n - n))
        code = error_out_of_bounds(error, APF_MALFORMED, data_path, at, n, list.n,
                                   "number of strings differs from their count in the header");
    for (uint64_t i = 0; code == APF_OK && i < n; i++)
        if (memprof_string_number(r->m, list.data[i].p, list.data[i].n) != i && !r->m->failed)
            code = error_out_of_bounds(error, APF_MALFORMED, data_path, at, i, n, "repeated string");
    for (uint64_t i = n; code == APF_OK && i < list.n; i++) {
        uint32_t number = memprof_string_number(r->m, list.data[i].p, list.data[i].n);
        memprof_push_cold(r->m, number);
    }
    VEC_FREE(&list);
    *n_strings = n;
    if (code == APF_OK)
        cursor_skip(c, pad8(size % 8));
    return code == APF_OK ? memprof_check(r->m, data_path, at, error) : code;
}

static int read_cold_hashes(struct memprof_reader *r, struct cursor *c, struct apf_error *error)
{
    uint64_t at = cursor_offset(c), n = cursor_u64(c), left = cursor_left(c) / 8;
    const uint8_t *p = cursor_array(c, n, 8);
    if (!p)
        return error_out_of_bounds(error, APF_MALFORMED, data_path, at, n, left, "more hashes than fit");
    for (uint64_t i = 0; i < n; i++)
        memprof_push_cold_hash(r->m, load64le(p + 8 * i));
    return memprof_check(r->m, data_path, at, error);
}

static int read_datum(struct memprof_reader *r, struct cursor *c, uint64_t n_strings, struct apf_error *error)
{
    uint64_t at = cursor_offset(c), id = cursor_u64(c);
    uint8_t is_literal = cursor_u8(c);
    uint64_t count = cursor_u64(c), n = cursor_u64(c), left = cursor_left(c) / LOCATION_BYTES;
    const uint8_t *p = cursor_array(c, n, LOCATION_BYTES);
    if (!p)
        return error_out_of_bounds(error, APF_MALFORMED, data_path, at, n, left, "more locations than fit");
    if (!is_literal && id >= n_strings)
        return error_out_of_bounds(error, APF_MALFORMED, data_path, at, id, n_strings,
                                   "number of an unknown string");
    uint32_t datum = memprof_push_datum(r->m, is_literal != 0, id, count);
    for (uint64_t i = 0; i < n; i++, p += LOCATION_BYTES) {
        uint64_t file = load64le(p);
        if (file >= n_strings)
            return error_out_of_bounds(error, APF_MALFORMED, data_path, at + DATUM_BYTES + LOCATION_BYTES * i,
                                       file, n_strings, "number of an unknown string");
        memprof_push_location(r->m, datum, (uint32_t)file, load32le(p + 8));
    }
    return memprof_check(r->m, data_path, at, error);
}

static int read_data(struct memprof_reader *r, uint64_t at, struct apf_error *error)
{
    struct cursor c = cursor_make(r->data, r->n, HOST_BIG_ENDIAN);
    uint64_t n_strings = 0;
    if (at > r->n)
        return error_out_of_bounds(error, APF_MALFORMED, data_path, r->start, at, r->n,
                                   "data access profiles lie outside the file");
    cursor_skip(&c, at);
    int code = read_strings(r, &c, &n_strings, error);
    if (code == APF_OK)
        code = read_cold_hashes(r, &c, error);
    if (code != APF_OK)
        return code;
    at = cursor_offset(&c);
    uint64_t n = cursor_u64(&c);
    if (c.failed || n > cursor_left(&c) / DATUM_BYTES)
        return error_out_of_bounds(error, APF_MALFORMED, data_path, at, n, cursor_left(&c) / DATUM_BYTES,
                                   "more profiles than fit");
    for (uint64_t i = 0; code == APF_OK && i < n; i++)
        code = read_datum(r, &c, n_strings, error);
    return code;
}

/* ---- the section ---- */

static int read_schema(struct memprof_reader *r, struct cursor *c, struct apf_error *error)
{
    static const char where[] = "indexed.memprof.schema";
    uint64_t at = cursor_offset(c), n = cursor_u64(c);
    uint32_t seen = 0;
    if (c->failed || n >= APF_MEMPROF_FIELDS)
        return error_out_of_bounds(error, APF_MALFORMED, where, at, n, APF_MEMPROF_FIELDS - 1,
                                   "memprof schema invalid");
    for (uint64_t i = 0; i < n; i++) {
        at = cursor_offset(c);
        uint64_t field = cursor_u64(c);
        if (c->failed || field == 0 || field >= APF_MEMPROF_FIELDS || seen & memprof_bit((unsigned)field))
            return error_out_of_bounds(error, APF_MALFORMED, where, at, field, APF_MEMPROF_FIELDS - 1,
                                       "memprof schema invalid");
        seen |= memprof_bit((unsigned)field);
        r->schema[r->n_schema++] = (uint8_t)field;
        r->block_bytes += memprof_field_bytes((unsigned)field);
    }
    r->m->info.schema = seen;
    return APF_OK;
}

/* Reads the rest of a section of versions 0 to 2. */
static int read_tables(struct memprof_reader *r, struct cursor *c, struct apf_error *error)
{
    uint64_t at = cursor_offset(c), left = cursor_left(c), records = cursor_u64(c), frames = cursor_u64(c),
             frame_table = cursor_u64(c), stacks = 0, stack_table = 0;
    if (has_cap(r, MEMPROF_CAP_STACK_TABLE)) {
        stacks = cursor_u64(c);
        stack_table = cursor_u64(c);
    }
    if (c->failed)
        return error_out_of_bounds(error, APF_MALFORMED, "indexed.memprof.header", at, left,
                                   has_cap(r, MEMPROF_CAP_STACK_TABLE) ? 40 : 24, "header is cut off");
    int code = read_schema(r, c, error);
    if (code == APF_OK)
        code = memprof_read_frame_table(r, frames, frame_table, error);
    if (code == APF_OK && has_cap(r, MEMPROF_CAP_STACK_TABLE))
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
        return error_out_of_bounds(error, APF_MALFORMED, "indexed.memprof.summary", at, n,
                                   p ? MEMPROF_SUMMARY_WORDS : left, "summary is too short or does not fit");
    for (size_t i = 0; i < MEMPROF_SUMMARY_WORDS; i++)
        *words[i] = load64le(p + 8 * i);
    r->m->has_summary = true;
    return APF_OK;
}

/* Reads the rest of a section of versions 3 and 4. */
static int read_arrays(struct memprof_reader *r, struct cursor *c, struct apf_error *error)
{
    uint64_t at = cursor_offset(c), left = cursor_left(c), words = cursor_u64(c), records = cursor_u64(c),
             record_table = cursor_u64(c), data = 0;
    int code = APF_OK;
    if (has_cap(r, MEMPROF_CAP_DATA))
        data = cursor_u64(c);
    if (c->failed)
        return error_out_of_bounds(error, APF_MALFORMED, "indexed.memprof.header", at, left,
                                   has_cap(r, MEMPROF_CAP_DATA) ? 32 : 24, "header is cut off");
    if (has_cap(r, MEMPROF_CAP_DATA))
        code = read_summary(r, c, error);
    if (code == APF_OK)
        code = read_schema(r, c, error);
    if (code == APF_OK)
        code = memprof_read_arrays(r, cursor_offset(c), words, records, error);
    struct memprof_table table = {"indexed.memprof.record_table", records, record_table, false, read_record};
    if (code == APF_OK)
        code = memprof_read_table(r, &table, error);
    return code == APF_OK && data ? read_data(r, data, error) : code;
}

static int read_section(struct memprof_reader *r, uint64_t start, struct apf_error *error)
{
    struct cursor c = cursor_make(r->data, r->n, HOST_BIG_ENDIAN);
    cursor_skip(&c, start);
    struct cursor first = c;
    uint64_t word = cursor_u64(&c);
    if (c.failed)
        return error_out_of_bounds(error, APF_MALFORMED, "indexed.header.memprof_offset", INDEXED_MEMPROF_AT,
                                   start, r->n < 8 ? 0 : r->n - 8, "MemProf data lies outside the file");
    if (!memprof_version_of(word, start, &r->version)) {
        struct error_at at = {"indexed.memprof.version", start, word, MEMPROF_MAX_VERSION};
        return error_at(error, APF_UNSUPPORTED_VERSION, at,
                        "MemProf version %llu; the newest that is read is %u", (unsigned long long)word,
                        MEMPROF_MAX_VERSION);
    }
    r->m->info.version = r->version;
    if (!has_cap(r, MEMPROF_CAP_MARK))
        c = first;
    return has_cap(r, MEMPROF_CAP_ARRAYS) ? read_arrays(r, &c, error) : read_tables(r, &c, error);
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
