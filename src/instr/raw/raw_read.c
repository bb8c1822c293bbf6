/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include <string.h>

#include "base/error.h"
#include "base/pulse.h"
#include "instr/model/name_blob.h"
#include "instr/model/value_data.h"
#include "instr/raw/raw_reader.h"

/* Functions own their counters and names, but some linkers keep a data record twice. All records together may claim
 * this many times the size of a section, so that a small file cannot ask for much memory by claiming the same bytes
 * again. */
#define CLAIM_FACTOR 8
/* Sites without value data need memory that no byte of the file stands for, and so are limited. */
#define EMPTY_SITES_PER_RECORD 64
#define EMPTY_SITES_ANYWAY 200000

uint64_t raw_empty_sites_limit(uint64_t n_records)
{
    return EMPTY_SITES_ANYWAY + EMPTY_SITES_PER_RECORD * n_records;
}

int raw_copy_id(void *user, const uint8_t *p, uint64_t n)
{
    struct raw_id_list *list = (struct raw_id_list *)user;
    struct apf_str id = {arena_text(list->arena, p, n), n};
    return id.p && VEC_PUSH(&list->ids, id) ? APF_OK : APF_NO_MEMORY;
}

void raw_count_quirks(uint64_t quirks[QUIRK_COUNT], const struct raw_profile *raw)
{
    quirks[QUIRK_RELATIVE_V7] += raw->relative && raw->version->caps & RAW_CAP_MAYBE_RELATIVE;
    quirks[QUIRK_NO_TIMESTAMP] += raw->no_timestamps;
    quirks[QUIRK_TRUNCATED_DELTA] += raw->truncated_delta;
}

/* ---- names ---- */

static int read_names(struct raw_reader *r, const struct raw_profile *raw, struct apf_error *error)
{
    struct cursor names = raw_profile_cursor(raw, raw->names.at);
    struct cursor vtable_names = raw_profile_cursor(raw, raw->vtable_names.at);
    int code = APF_OK;
    /* There is about one name for each record; the records lie inside the file. */
    size_t n = (size_t)raw->n_records;
    if (!hash_index_reserve(&r->instr->symbols->index, n) || !VEC_RESERVE(&r->instr->symbols->list, n))
        return hash_index_error(&r->instr->symbols->index, error);
    if (!(raw->version->caps & RAW_CAP_NAME_POINTERS))
        code =
            name_blob_read(&names, raw->names.size, &r->name_budget, "raw.names", r->instr->symbols, error);
    if (code != APF_OK || !raw->vtable_names.size)
        return code;
    return name_blob_read(&vtable_names, raw->vtable_names.size, &r->name_budget, "raw.vtable_names",
                          r->instr->vtables, error);
}

/* Adds a name that comes with its record: from correlation, or, with RAW_CAP_NAME_POINTERS, one whose id the record
 * does not have and gets here. */
static int add_own_name(struct raw_reader *r, const struct raw_profile *raw, uint64_t i,
                        struct raw_record *rec, struct apf_error *error)
{
    if (raw->correlated) {
        struct apf_str known = raw_correlated_function(raw, i)->name;
        return known.n ? symbols_add_id(r->instr->symbols, rec->name_ref, known.p, known.n, true, NULL, error)
                       : APF_OK;
    }
    if (!(raw->version->caps & RAW_CAP_NAME_POINTERS))
        return APF_OK;
    if (rec->name_size > r->names_left) {
        struct error_at at = {"raw.record.name", rec->at, rec->name_size, r->names_left};
        return error_bound(error, APF_MALFORMED, at, "functions claim the same bytes as names");
    }
    r->names_left -= rec->name_size;
    const char *name = (const char *)raw->file + raw->names.at + rec->name_at;
    return symbols_add(r->instr->symbols, name, rec->name_size, true, &rec->name_ref, NULL, error);
}

/* ---- records ---- */

static int copy_counts(struct raw_reader *r, const struct raw_profile *raw, const struct raw_record *rec,
                       struct record *out, struct apf_error *error)
{
    struct arena *arena = &r->instr->arena;
    if (rec->n_counters > r->counters_left || rec->n_bitmap > r->bitmap_left) {
        struct error_at at = {"raw.record.num_counters", out->offset, rec->n_counters, r->counters_left};
        return error_bound(error, APF_MALFORMED, at, "functions claim the same counters");
    }
    r->counters_left -= rec->n_counters;
    r->bitmap_left -= rec->n_bitmap;
    out->n_counts = (uint32_t)rec->n_counters;
    out->n_bitmap = rec->n_bitmap;
    if (rec->n_bitmap)
        out->flags |=
            raw->version->caps & RAW_CAP_BITMAP_DENSE ? APF_RECORD_DENSE_BITMAP : APF_RECORD_SPARSE_BITMAP;
    if (r->options->lean)
        return APF_OK;
    uint64_t *counts = arena_array(arena, rec->n_counters, sizeof *counts);
    uint8_t *bitmap = rec->n_bitmap ? arena_bytes(arena, rec->n_bitmap) : NULL;
    if (!counts || (rec->n_bitmap && !bitmap))
        return error_memory(error);
    uint64_t at = rec->counters, large = 0;
    for (uint64_t i = 0; i < rec->n_counters; i++, at += raw->counter_bytes) {
        counts[i] = raw_profile_count(raw, at);
        large += counts[i] > COUNT_SUSPECT;
    }
    if (counts[0] >= PSEUDO_WARM) {
        out->flags |= APF_RECORD_PSEUDO;
        large = 0;
    }
    r->instr->quirks[QUIRK_LARGE_COUNTER] += large;
    if (bitmap)
        memcpy(bitmap, raw->file + raw->bitmap.at + rec->bitmap, rec->n_bitmap);
    out->counts = counts;
    out->bitmap = bitmap;
    return APF_OK;
}

/* Copies the timestamp and the uniform counters of a record that has any. */
static int copy_extra(struct raw_reader *r, const struct raw_profile *raw, const struct raw_record *rec,
                      struct record *out, struct apf_error *error)
{
    bool uniform = raw->field[RAW_NUM_UNIFORM] != 0;
    uint64_t timestamp = 0;
    if (r->options->lean)
        return APF_OK;
    if (rec->timestamp_at != UINT64_MAX)
        timestamp = raw_timestamp(load64(raw->file + raw->counters.at + rec->timestamp_at, raw->swap));
    if (!uniform && !timestamp)
        return APF_OK;
    struct record_extra *extra = arena_zeros(&r->instr->arena, 1, sizeof *extra);
    if (!extra)
        return error_memory(error);
    out->extra = extra;
    extra->timestamp = timestamp;
    struct raw_seen seen = {timestamp, rec->name_ref};
    if (timestamp && !VEC_PUSH(&r->seen.list, seen))
        return error_memory(error);
    if (!uniform)
        return APF_OK;
    uint64_t *copy = arena_array(&r->instr->arena, rec->n_counters, sizeof *copy);
    if (!copy)
        return error_memory(error);
    for (uint64_t i = 0; i < rec->n_counters; i++)
        copy[i] = load64(raw->file + raw->uniform.at + rec->uniform + 8 * i, raw->swap);
    extra->uniform = copy;
    return APF_OK;
}

int raw_reader_record(struct raw_reader *r, struct raw_profile_info *info, uint64_t i, struct raw_record *rec,
                      struct apf_error *error)
{
    const struct raw_profile *raw = &info->raw;
    if (rec->skip) {
        r->instr->quirks[QUIRK_ZERO_RECORD]++;
        info->skipped_records = true;
        return APF_OK;
    }
    struct record out = {0};
    out.offset = rec->at;
    int code = add_own_name(r, raw, i, rec, error);
    if (code == APF_OK)
        code = copy_counts(r, raw, rec, &out, error);
    if (code == APF_OK)
        code = copy_extra(r, raw, rec, &out, error);
    if (code == APF_OK && rec->function_ptr)
        code = raw_targets_add(&r->targets, rec->function_ptr, rec->name_ref, error);
    if (code != APF_OK)
        return code;
    out.id = rec->name_ref;
    out.hash = rec->hash;
    out.symbol = symbols_find_near(r->instr->symbols, out.id, r->next_symbol);
    r->next_symbol = out.symbol + 1;
    memcpy(out.n_sites, rec->n_sites, sizeof out.n_sites);
    r->instr->info.n_counters += out.n_counts;
    return VEC_PUSH(&r->instr->records, out) ? APF_OK : error_memory(error);
}

int raw_reader_begin_records(struct raw_reader *r, struct raw_profile_info *info, struct apf_error *error)
{
    struct raw_profile *raw = &info->raw;
    uint64_t n = raw->n_records;
    if (n > r->records_left) {
        struct error_at at = {"raw.header.num_data", raw_header_at(raw, RAW_NUM_DATA), n, r->records_left};
        return error_at(error, APF_LIMIT, at, "more functions than the limit allows");
    }
    r->records_left -= n;
    if (!VEC_RESERVE(&r->instr->records, n))
        return error_memory(error);
    int code = raw_targets_reserve(&r->targets, n, error);
    if (code != APF_OK)
        return code;
    raw_profile_probe(raw);
    info->first_record = r->instr->records.n;
    r->counters_left = CLAIM_FACTOR * (raw->counters.size / raw->counter_bytes);
    r->bitmap_left = CLAIM_FACTOR * raw->bitmap.size;
    r->names_left = CLAIM_FACTOR * raw->names.size;
    return APF_OK;
}

static int read_records(struct raw_reader *r, struct raw_profile_info *info, struct apf_error *error)
{
    struct raw_profile *raw = &info->raw;
    struct raw_record rec;
    int code = raw_reader_begin_records(r, info, error);
    for (uint64_t i = 0; code == APF_OK && i < raw->n_records; i++) {
        code = raw_profile_record(raw, i, &rec, error);
        if (code == APF_OK)
            code = raw_reader_record(r, info, i, &rec, error);
        if (code == APF_OK)
            code = pulse_check(r->options->pulse, i, error);
    }
    if (raw->correlated && raw->bitmap.size && r->bitmap_left == CLAIM_FACTOR * raw->bitmap.size)
        r->instr->quirks[QUIRK_BITMAP_UNKNOWN]++;
    info->n_records = r->instr->records.n - info->first_record;
    return code;
}

/* ---- value data ---- */

int raw_reader_empty_sites(struct raw_reader *r, struct raw_profile_info *info, size_t from,
                           struct apf_error *error)
{
    struct record *records = ENTRY_AT(r->instr->records.data, info->first_record);
    size_t most = 0;
    for (size_t i = from; i < info->n_records; i++) {
        size_t n = record_site_count(&records[i]);
        most = n > most ? n : most;
        r->empty_claimed += n;
    }
    uint64_t limit = raw_empty_sites_limit(r->instr->records.n);
    if (r->empty_claimed > limit) {
        struct error_at at = {"raw.record.num_value_sites", info->raw.data.at, r->empty_claimed, limit};
        return error_at(error, APF_TRUNCATED, at, "no value data for the announced sites");
    }
    if (most > r->n_empty) {
        r->empty_sites = arena_zeros(&r->instr->arena, most, sizeof *r->empty_sites);
        r->n_empty = r->empty_sites ? most : 0;
    }
    for (size_t i = from; r->empty_sites && i < info->n_records; i++)
        records[i].sites = r->empty_sites;
    return r->empty_sites || !most ? APF_OK : error_memory(error);
}

int raw_reader_sites(struct raw_reader *r, struct record *record, struct cursor *c, struct apf_error *error)
{
    struct value_block block;
    struct apf_site *sites = NULL;
    int code = value_block_read(c, APF_VALUE_KINDS, &block, error);
    if (code == APF_OK && r->options->lean) {
        memcpy(record->n_sites, block.n_sites, sizeof record->n_sites);
        return APF_OK;
    }
    if (code == APF_OK)
        code = value_block_sites(&block, c->swap, &r->instr->arena, &sites, error);
    if (code != APF_OK)
        return code;
    memcpy(record->n_sites, block.n_sites, sizeof record->n_sites);
    record->sites = sites;
    for (unsigned k = 0; k < APF_VALUE_KINDS; k++)
        for (uint32_t s = 0; s < block.n_sites[k]; s++, sites++) {
            struct apf_value *values =
                (struct apf_value *)sites->values; /* value_block_sites allocated the array */
            for (size_t i = 0; i < sites->n; i++)
                values[i].value = raw_targets_resolve(&r->targets, k, values[i].value);
        }
    return APF_OK;
}

static int read_values(struct raw_reader *r, struct raw_profile_info *info, uint64_t *end,
                       struct apf_error *error)
{
    struct cursor c = raw_profile_cursor(&info->raw, info->raw.values_at);
    bool first = true;
    int code = APF_OK;
    for (size_t i = 0; code == APF_OK && i < info->n_records && !info->values_missing; i++) {
        struct record *record = &r->instr->records.data[info->first_record + i];
        if (!record_site_count(record))
            continue;
        info->values_missing = first && raw_profile_values_missing(&info->raw, cursor_offset(&c));
        first = false;
        r->instr->quirks[QUIRK_MISSING_VALUE_DATA] += info->values_missing;
        if (info->values_missing)
            code = raw_reader_empty_sites(r, info, 0, error);
        else
            code = raw_reader_sites(r, record, &c, error);
    }
    *end = cursor_offset(&c);
    return code;
}

/* ---- the whole file ---- */

int raw_reader_begin(struct raw_reader *r, struct raw_profile *raw, struct apf_error *error)
{
    bool unpadded = false;
    size_t first = r->ids.ids.n;
    int code = raw_profile_ids(raw, raw_copy_id, &r->ids, &unpadded, error);
    r->instr->quirks[QUIRK_UNPADDED_IDS] += unpadded;
    if (code != APF_OK)
        return code;
    return raw_profile_correlate(raw, r->options->correlation, ENTRY_AT(r->ids.ids.data, first),
                                 r->ids.ids.n - first, error);
}

static int read_profile(struct raw_reader *r, struct raw_profile_info *info, uint64_t *end,
                        struct apf_error *error)
{
    raw_targets_free(&r->targets);
    int code = raw_reader_begin(r, &info->raw, error);
    if (code == APF_OK)
        code = read_names(r, &info->raw, error);
    if (code == APF_OK)
        code = read_records(r, info, error);
    if (code == APF_OK)
        code = raw_targets_vtables(&r->targets, &info->raw, error);
    if (code == APF_OK)
        code = read_values(r, info, end, error);
    raw_count_quirks(r->instr->quirks, &info->raw);
    return code;
}

void raw_reader_add_profile(struct apf_instr *instr, const struct raw_profile *raw)
{
    struct apf_instr_info *info = &instr->info;
    if (info->n_profiles == 0) {
        info->version = raw->version->version;
        info->version_word = raw->version_word;
        info->pointer_bits = 8 * raw->pointer_bytes;
        info->big_endian = (bool)HOST_BIG_ENDIAN != raw->swap;
        info->variant = raw->variant;
    }
    instr->quirks[QUIRK_MIXED_VERSIONS] += info->version != raw->version->version;
    info->last_variant = raw->variant;
    info->n_profiles++;
    if (raw->kinds > instr->max_kinds)
        instr->max_kinds = raw->kinds;
}

static int read_profiles(struct raw_reader *r, const uint8_t *data, size_t n, struct apf_error *error)
{
    uint64_t at = 0;
    int code = APF_OK;
    while (code == APF_OK && at < n) {
        struct raw_profile_info info = {0};
        uint64_t end = 0;
        bool unaligned = false;
        code = raw_profile_open(&info.raw, data, n, at, error);
        if (code == APF_OK) {
            raw_reader_add_profile(r->instr, &info.raw);
            code = read_profile(r, &info, &end, error);
        }
        info.end = end;
        if (code == APF_OK)
            code = raw_profile_next(&info.raw, end, &at, &unaligned, error);
        r->instr->quirks[QUIRK_UNALIGNED] += unaligned;
        if (code == APF_OK && r->options->profiles && !VEC_PUSH(&r->options->profiles->list, info))
            code = error_memory(error);
    }
    return code;
}

/* The name of a record may be in another profile of the file, further on. */
static void find_missing_symbols(struct apf_instr *instr)
{
    for (size_t i = 0; i < instr->records.n; i++) {
        struct record *r = &instr->records.data[i];
        if (r->symbol == HASH_INDEX_NONE)
            r->symbol = symbols_find(instr->symbols, r->id);
    }
}

static int make_trace(struct raw_reader *r, struct apf_error *error)
{
    struct apf_trace *trace = arena_zeros(&r->instr->arena, 1, sizeof *trace);
    if (!r->seen.list.n)
        return APF_OK;
    if (!trace)
        return error_memory(error);
    r->instr->info.traces = trace;
    r->instr->info.n_traces = 1;
    r->instr->info.trace_stream_size = 1;
    return raw_trace_make(&r->seen, &r->instr->arena, trace, error);
}

struct raw_reader raw_reader_make(struct apf_instr *instr, size_t n, const struct read_options *options)
{
    struct raw_reader r = {0};
    r.instr = instr;
    r.options = options;
    r.records_left = options->max_records;
    r.name_budget = profile_name_budget(options, n);
    r.ids.arena = &instr->arena;
    instr->info.format = APF_FORMAT_RAW;
    return r;
}

int raw_reader_finish(struct raw_reader *r, int code, struct apf_error *error)
{
    struct apf_instr *instr = r->instr;
    size_t n_ids = r->ids.ids.n;
    if (code == APF_OK)
        find_missing_symbols(instr);
    if (code == APF_OK)
        code = make_trace(r, error);
    if (code == APF_OK && n_ids) {
        struct apf_str *ids = arena_array(&instr->arena, n_ids, sizeof *ids);
        if (ids)
            memcpy(ids, r->ids.ids.data, n_ids * sizeof *ids);
        else
            code = error_memory(error);
        instr->info.binary_ids = ids;
        instr->info.n_binary_ids = n_ids;
    }
    VEC_FREE(&r->ids.ids);
    VEC_FREE(&r->seen.list);
    raw_targets_free(&r->targets);
    return code;
}

int raw_read(struct apf_instr *instr, const uint8_t *data, size_t n, const struct read_options *options,
             struct apf_error *error)
{
    struct raw_reader r = raw_reader_make(instr, n, options);
    return raw_reader_finish(&r, read_profiles(&r, data, n, error), error);
}

bool raw_begins(const uint8_t *data, size_t n)
{
    bool swap;
    unsigned bytes;
    return raw_magic(data, n, &swap, &bytes);
}

void raw_glance(struct apf_instr_info *info, const uint8_t *data, size_t n)
{
    bool swap;
    unsigned bytes;
    if (!raw_magic(data, n, &swap, &bytes))
        return;
    info->pointer_bits = 8 * bytes;
    info->big_endian = (bool)HOST_BIG_ENDIAN != swap;
    profile_glance_version(info, data, n, swap);
}
