/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "instr/indexed/indexed_format.h"

#include <string.h>

#include "base/error.h"
#include "base/md5.h"
#include "base/pulse.h"
#include "instr/indexed/indexed_frame.h"
#include "instr/indexed/indexed_reader.h"
#include "instr/memprof/memprof_read.h"
#include "instr/model/name_blob.h"

/* Words of the header; the caller has checked its size. */
static uint64_t header_word(const struct indexed_reader *r, unsigned at)
{
    return load64le(r->data + at);
}

static struct cursor cursor_from(const struct indexed_reader *r, uint64_t at)
{
    struct cursor c = cursor_make(r->data, r->n, HOST_BIG_ENDIAN);
    cursor_skip(&c, at);
    return c;
}

/* ---- header ---- */

int indexed_read_header(struct indexed_reader *r, struct apf_error *error)
{
    struct apf_instr_info *info = &r->instr->info;
    if (r->n < INDEXED_UNUSED_AT + 8)
        return error_mismatch(error, APF_TRUNCATED, "indexed.header", 0, r->n, INDEXED_UNUSED_AT + 8, NULL);
    uint64_t word = header_word(r, 8), number = word & UINT32_MAX;
    r->version = indexed_version_find(number);
    if (!r->version) {
        struct error_at at = {"indexed.header.version", 8, number, number ? INDEXED_MAX_VERSION : 1};
        return error_at(error, APF_UNSUPPORTED_VERSION, at, "indexed version %llu; the %s that is read is %u",
                        (unsigned long long)number, number ? "newest" : "oldest", (unsigned)at.expected);
    }
    if (r->n < r->version->header_size)
        return error_mismatch(error, APF_TRUNCATED, "indexed.header", 0, r->n, r->version->header_size, NULL);
    uint64_t hash_type = header_word(r, INDEXED_HASH_TYPE_AT);
    if (hash_type != INDEXED_HASH_MD5)
        return error_mismatch(error, APF_UNSUPPORTED_HASH_TYPE, "indexed.header.hash_type",
                              INDEXED_HASH_TYPE_AT, hash_type, INDEXED_HASH_MD5, NULL);
    info->format = APF_FORMAT_INDEXED;
    info->version = r->version->version;
    info->version_word = word;
    info->n_profiles = 1;
    /* Unknown bits and the raw-only debug-info bit mean nothing here. */
    info->variant = word & VARIANT_BITS & ~APF_VARIANT_DEBUG_CORRELATE;
    return APF_OK;
}

int indexed_read_memprof(struct indexed_reader *r, struct apf_error *error)
{
    struct apf_instr_info *info = &r->instr->info;
    if (!(r->version->caps & INDEXED_CAP_MEMPROF) || !(info->variant & APF_VARIANT_MEMPROF))
        return APF_OK;
    if (r->options->flags & APF_FLAG_DROP_MEMPROF) {
        profile_drop_memprof(r->instr); /* unread: damage in it is no reason to refuse the counts */
        return APF_OK;
    }
    int code = memprof_read(&r->instr->memprof, r->data, r->n, header_word(r, INDEXED_MEMPROF_AT), r->options,
                            error);
    return error_subject(error, code, APF_SUBJECT_MEMPROF);
}

int indexed_measure_summary(uint64_t *size, uint64_t n_fields, uint64_t n_cutoffs, uint64_t at, uint64_t left,
                            struct apf_error *error)
{
    left -= 16;
    if (n_fields > left / 8)
        return error_mismatch(error, APF_TRUNCATED, "indexed.summary.num_fields", at, n_fields, left / 8,
                              NULL);
    left -= 8 * n_fields;
    if (n_cutoffs > left / 24)
        return error_mismatch(error, APF_TRUNCATED, "indexed.summary.num_cutoffs", at + 8, n_cutoffs,
                              left / 24, NULL);
    *size = 16 + 8 * n_fields + 24 * n_cutoffs;
    return APF_OK;
}

/* Skips a summary, which can be computed. */
static int skip_summary(struct cursor *c, struct apf_error *error)
{
    uint64_t at = cursor_offset(c), left = cursor_left(c), size = 0;
    uint64_t n_fields = cursor_u64(c), n_cutoffs = cursor_u64(c);
    if (c->failed)
        return error_mismatch(error, APF_TRUNCATED, "indexed.summary", at, left, 16, NULL);
    int code = indexed_measure_summary(&size, n_fields, n_cutoffs, at, left, error);
    if (code == APF_OK)
        cursor_skip(c, size - 16);
    return code;
}

int indexed_skip_summaries(const struct indexed_reader *r, uint64_t *start, struct apf_error *error)
{
    struct cursor c = cursor_from(r, r->version->header_size);
    bool has = r->version->caps & INDEXED_CAP_SUMMARY;
    int code = has ? skip_summary(&c, error) : APF_OK;
    if (code == APF_OK && has && r->instr->info.variant & APF_VARIANT_CS)
        code = skip_summary(&c, error);
    *start = cursor_offset(&c);
    return code;
}

/* ---- records ---- */

static int copy_counts(struct indexed_reader *r, const struct indexed_frame *frame, struct record *out,
                       struct apf_error *error)
{
    uint64_t *counts = arena_array(&r->instr->arena, frame->n_counts, sizeof *counts);
    if (!counts)
        return error_memory(error);
    for (size_t i = 0; i < frame->n_counts; i++)
        counts[i] = load64le(frame->counts + 8 * i);
    if (counts[0] >= PSEUDO_WARM)
        out->flags |= APF_RECORD_PSEUDO;
    out->counts = counts;
    out->n_counts = frame->n_counts;
    r->instr->info.n_counters += frame->n_counts;
    return APF_OK;
}

static int copy_bitmap(struct indexed_reader *r, const struct indexed_frame *frame, struct record *out,
                       struct apf_error *error)
{
    if (frame->n_bitmap == 0)
        return APF_OK;
    out->bitmap = indexed_frame_bitmap(frame, &r->instr->arena);
    out->n_bitmap = frame->n_bitmap;
    out->flags |= frame->dense ? APF_RECORD_DENSE_BITMAP : APF_RECORD_SPARSE_BITMAP;
    return out->bitmap ? APF_OK : error_memory(error);
}

static int copy_uniformity(struct indexed_reader *r, const struct indexed_frame *frame, struct record *out,
                           struct apf_error *error)
{
    if (frame->n_uniformity == 0)
        return APF_OK;
    struct record_extra *extra = arena_zeros(&r->instr->arena, 1, sizeof *extra);
    uint8_t *bytes = arena_bytes(&r->instr->arena, frame->n_uniformity);
    if (!extra || !bytes)
        return error_memory(error);
    memcpy(bytes, frame->uniformity, frame->n_uniformity);
    extra->uniformity = bytes;
    extra->n_uniformity = frame->n_uniformity;
    out->extra = extra;
    return APF_OK;
}

static int copy_sites(struct indexed_reader *r, const struct value_block *block, struct record *out,
                      struct apf_error *error)
{
    struct apf_site *sites = NULL;
    const int code = value_block_sites(block, HOST_BIG_ENDIAN, &r->instr->arena, &sites, error);
    memcpy(out->n_sites, block->n_sites, sizeof out->n_sites);
    out->sites = sites;
    for (unsigned k = 0; k < APF_VALUE_KINDS; k++)
        if (block->n_sites[k] && r->instr->max_kinds < k + 1)
            r->instr->max_kinds = k + 1;
    return code;
}

int indexed_too_many(const struct indexed_reader *r, uint64_t at, uint64_t n, struct apf_error *error)
{
    return error_mismatch(error, APF_LIMIT, "indexed.records", at, n, r->options->max_records,
                          "more functions than the limit allows");
}

static int read_record(struct indexed_reader *r, struct cursor *c, uint64_t id, uint32_t symbol,
                       struct apf_error *error)
{
    struct record out = {.id = id, .symbol = symbol, .offset = cursor_offset(c)};
    struct indexed_frame frame;
    struct value_block values;
    int code = indexed_frame_read(c, r->version, &frame, &values, error);
    out.hash = frame.hash;
    if (code == APF_OK)
        code = copy_counts(r, &frame, &out, error);
    if (code == APF_OK)
        code = copy_bitmap(r, &frame, &out, error);
    if (code == APF_OK)
        code = copy_uniformity(r, &frame, &out, error);
    if (code == APF_OK)
        code = copy_sites(r, &values, &out, error);
    if (code != APF_OK)
        return code;
    if (r->instr->records.n >= r->options->max_records)
        return indexed_too_many(r, out.offset, r->instr->records.n + 1, error);
    return VEC_PUSH(&r->instr->records, out) ? APF_OK : error_memory(error);
}

/* Reads the records of one name, which are all that the cursor has. */
static int read_records(struct indexed_reader *r, struct cursor *data, uint64_t id, uint32_t symbol,
                        struct apf_error *error)
{
    int code = APF_OK;
    while (code == APF_OK && cursor_left(data))
        code = read_record(r, data, id, symbol, error);
    return code;
}

/* ---- hash table ---- */

const struct disk_table_kind indexed_functions = {
    .place = "indexed.header.hash_offset",
    .place_at = INDEXED_HASH_OFFSET_AT,
    .num_buckets = "indexed.table.num_buckets",
    .num_entries = "indexed.table.num_entries",
    .bucket = "indexed.table.bucket",
    .item = "indexed.table.item",
    .key_size = "indexed.table.item.key_size",
    .data_size = "indexed.table.item.data_size",
    .cut = APF_TRUNCATED,
};

/* LLVM stores all records without a known name under the empty key. */
int indexed_read_item(struct indexed_reader *r, const struct disk_item *item, struct apf_error *error)
{
    const uint8_t *key = r->data + item->key;
    uint64_t id = r->options->to_merge ? item->hash : md5_name_ref(key, item->n_key);
    if (id != item->hash)
        return error_mismatch(error, APF_MALFORMED, "indexed.table.item.hash", item->at, item->hash, id,
                              "hash of the name does not match the name");
    uint32_t symbol;
    int code = symbols_push(r->instr->symbols, id, (const char *)key, item->n_key, &symbol, error);
    if (code == APF_OK)
        code = indexed_expect_records(item->n_data, item->at + 16, error);
    struct cursor data = cursor_make_at(r->data + item->data, item->n_data, item->data, HOST_BIG_ENDIAN);
    return code == APF_OK ? read_records(r, &data, id, symbol, error) : code;
}

int indexed_walk_table(struct indexed_reader *r, uint64_t start, indexed_table_fn *begin, indexed_item_fn *fn,
                       void *user, struct apf_error *error)
{
    struct file_pages bytes = file_pages_of(r->data, r->n);
    struct disk_table table = {.kind = &indexed_functions,
                               .pages = &bytes,
                               .payload = start,
                               .end = header_word(r, INDEXED_HASH_OFFSET_AT)};
    int code = disk_table_open(&table, error);
    if (code == APF_OK)
        code = disk_table_check_items(&table, error);
    if (code == APF_OK)
        code = begin(user, table.n_items, error);
    struct disk_walk walk = disk_walk_from(&table, start);
    for (uint64_t i = 0; code == APF_OK && i < table.n_items; i++) {
        struct disk_item item;
        code = disk_walk_next(&walk, &item, error);
        if (code == APF_OK)
            code = fn(user, &item, error);
        if (code == APF_OK)
            code = pulse_check(r->options->pulse, i, error);
    }
    return code;
}

/* An indexed_table_fn. */
static int begin_table(void *user, uint64_t n_items, struct apf_error *error)
{
    const struct indexed_reader *r = (const struct indexed_reader *)user;
    const size_t room = n_items < r->options->max_records ? (size_t)n_items : 0;
    const bool ok = VEC_RESERVE(&r->instr->records, room) && VEC_RESERVE(&r->instr->symbols->list, room);
    return ok ? APF_OK : error_memory(error);
}

/* An indexed_item_fn. */
static int take_item(void *user, const struct disk_item *item, struct apf_error *error)
{
    return indexed_read_item((struct indexed_reader *)user, item, error);
}

/* ---- sections after the table ---- */

/* Reads the word at the start of a section; false if the offset in the header leaves no room for it. */
static bool section_size(const struct indexed_reader *r, unsigned offset_at, struct cursor *c, uint64_t *size)
{
    *c = cursor_from(r, header_word(r, offset_at));
    *size = cursor_u64(c);
    return !c->failed;
}

int indexed_read_ids(struct indexed_reader *r, struct apf_error *error)
{
    struct apf_instr_info *info = &r->instr->info;
    uint64_t offset = r->version->caps & INDEXED_CAP_IDS ? header_word(r, INDEXED_IDS_AT) : 0;
    if (offset == 0)
        return APF_OK;
    struct cursor c;
    uint64_t size;
    if (!section_size(r, INDEXED_IDS_AT, &c, &size))
        return error_out_of_bounds(error, APF_MALFORMED, "indexed.header.binary_ids_offset", INDEXED_IDS_AT,
                                   offset, r->n - 8, "corrupted binary ids");
    if (size % 8)
        return error_mismatch(error, APF_BAD_HEADER, "indexed.binary_ids.size", offset, size, align8(size),
                              NULL);
    uint64_t left = cursor_left(&c);
    struct cursor ids = cursor_sub(&c, size);
    if (c.failed)
        return error_out_of_bounds(error, APF_MALFORMED, "indexed.binary_ids.size", offset, size, left,
                                   "corrupted binary ids");
    struct apf_str *list = arena_array(&r->instr->arena, size / 16 + 1, sizeof *list);
    if (!list)
        return error_memory(error);
    while (cursor_left(&ids)) {
        uint64_t at = cursor_offset(&ids), n = cursor_u64(&ids);
        if (n == 0)
            return error_mismatch(error, APF_MALFORMED, "indexed.binary_ids", at, 0, 1,
                                  "binary id length is 0");
        const uint8_t *p = cursor_bytes(&ids, n);
        if (p)
            cursor_skip(&ids, pad8(n % 8));
        if (ids.failed)
            return error_out_of_bounds(error, APF_MALFORMED, "indexed.binary_ids", at, n, cursor_left(&ids),
                                       "not enough data to read binary id data");
        struct apf_str id = {arena_text(&r->instr->arena, p, n), n};
        if (!id.p)
            return error_memory(error);
        list[info->n_binary_ids++] = id;
    }
    info->binary_ids = list;
    return APF_OK;
}

int indexed_read_vtable_names(struct indexed_reader *r, struct apf_error *error)
{
    uint64_t offset = r->version->caps & INDEXED_CAP_VTABLES ? header_word(r, INDEXED_VTABLES_AT) : 0;
    if (offset == 0)
        return APF_OK;
    struct cursor c;
    uint64_t size;
    if (!section_size(r, INDEXED_VTABLES_AT, &c, &size))
        return error_mismatch(error, APF_TRUNCATED, "indexed.header.vtable_names_offset", INDEXED_VTABLES_AT,
                              offset, r->n - 8, NULL);
    if (size > cursor_left(&c))
        return error_mismatch(error, APF_TRUNCATED, "indexed.vtable_names.size", offset, size,
                              cursor_left(&c), NULL);
    uint64_t budget = profile_name_budget(r->options, r->n);
    return name_blob_read(&c, size, &budget, "indexed.vtable_names", r->instr->vtables, error);
}

static int read_trace(struct indexed_reader *r, struct cursor *c, struct apf_trace *trace,
                      struct apf_error *error)
{
    uint64_t at = cursor_offset(c);
    trace->weight = cursor_u64(c);
    uint64_t n = cursor_u64(c);
    const uint8_t *p = cursor_array(c, n, 8);
    if (!p)
        return error_mismatch(error, APF_TRUNCATED, "indexed.traces", at, n, cursor_left(c) / 8, NULL);
    uint64_t *ids = arena_array(&r->instr->arena, n, sizeof *ids);
    if (!ids)
        return error_memory(error);
    for (uint64_t i = 0; i < n; i++)
        ids[i] = load64le(p + 8 * i);
    trace->ids = ids;
    trace->n = n;
    return APF_OK;
}

int indexed_read_traces(struct indexed_reader *r, struct apf_error *error)
{
    struct apf_instr_info *info = &r->instr->info;
    if (!(r->version->caps & INDEXED_CAP_TRACES) || !(info->variant & APF_VARIANT_TEMPORAL))
        return APF_OK;
    uint64_t offset = header_word(r, INDEXED_TRACES_AT), n;
    struct cursor c;
    bool fits = section_size(r, INDEXED_TRACES_AT, &c, &n);
    info->trace_stream_size = cursor_u64(&c);
    if (!fits || c.failed)
        return error_mismatch(error, APF_TRUNCATED, "indexed.header.traces_offset", INDEXED_TRACES_AT, offset,
                              r->n - 16, NULL);
    if (n > cursor_left(&c) / 16)
        return error_mismatch(error, APF_TRUNCATED, "indexed.traces.count", offset, n, cursor_left(&c) / 16,
                              NULL);
    struct apf_trace *traces = arena_array(&r->instr->arena, n, sizeof *traces);
    if (!traces)
        return error_memory(error);
    int code = APF_OK;
    for (uint64_t i = 0; code == APF_OK && i < n; i++)
        code = read_trace(r, &c, &traces[i], error);
    info->traces = traces;
    info->n_traces = n;
    return code;
}

int indexed_read_records(struct indexed_reader *r, struct cursor *data, uint64_t id, struct apf_error *error)
{
    const int code = indexed_expect_records(cursor_left(data), cursor_offset(data), error);
    return code == APF_OK ? read_records(r, data, id, HASH_INDEX_NONE, error) : code;
}

int indexed_read(struct apf_instr *instr, const uint8_t *data, size_t n, const struct read_options *options,
                 struct apf_error *error)
{
    struct indexed_reader r = {instr, options, data, n, NULL};
    int code = indexed_read_header(&r, error);
    if (code != APF_OK)
        return code;
    uint64_t start = 0;
    code = indexed_skip_summaries(&r, &start, error);
    if (code == APF_OK)
        code = indexed_walk_table(&r, start, begin_table, take_item, &r, error);
    if (code == APF_OK)
        code = indexed_read_ids(&r, error);
    if (code == APF_OK)
        code = indexed_read_vtable_names(&r, error);
    if (code == APF_OK)
        code = indexed_read_traces(&r, error);
    if (code == APF_OK)
        code = indexed_read_memprof(&r, error);
    return code;
}

bool indexed_begins(const uint8_t *data, size_t n)
{
    return n >= sizeof(uint64_t) && load64le(data) == INDEXED_MAGIC;
}

void indexed_glance(struct apf_instr_info *info, const uint8_t *data, size_t n)
{
    profile_glance_version(info, data, n, HOST_BIG_ENDIAN);
}
