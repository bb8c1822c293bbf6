/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "instr/raw_read.h"

#include <string.h>

#include "base/error.h"
#include "instr/name_blob.h"
#include "instr/raw_reader.h"
#include "instr/value_data.h"

/* Functions own their counters and names, but some linkers keep a data record twice. What all records together claim
 * is bounded, so that a small file cannot ask for much memory by naming the same bytes again and again. */
#define CLAIM_FACTOR 8
/* Sites that are announced without value data take memory that no byte of the file stands for. */
#define EMPTY_SITES_PER_RECORD 64
#define EMPTY_SITES_ANYWAY 200000

uint64_t raw_empty_sites_limit(uint64_t n_records)
{
    return EMPTY_SITES_ANYWAY + EMPTY_SITES_PER_RECORD * n_records;
}

int raw_collect_id(void *user, const uint8_t *p, uint64_t n)
{
    struct raw_id_list *list = (struct raw_id_list *)user;
    struct apf_str id = {arena_text(list->arena, p, n), n};
    return id.p && VEC_PUSH(&list->ids, id) ? APF_OK : APF_NO_MEMORY;
}

void raw_note_quirks(uint64_t quirks[QUIRK_COUNT], const struct raw_part *part)
{
    quirks[QUIRK_RELATIVE_V7] += part->relative && part->version->caps & RAW_CAP_MAYBE_RELATIVE;
    quirks[QUIRK_NO_TIMESTAMP] += part->no_timestamps;
    quirks[QUIRK_TRUNCATED_DELTA] += part->truncated_delta;
}

/* ---- names ---- */

static int read_names(struct raw_reader *r, const struct raw_part *part, struct apf_error *error)
{
    struct cursor c = cursor_make(part->file, part->file_size, part->swap);
    int code = APF_OK;
    /* Mostly every function has a name; their number fits in the file. */
    size_t most = (size_t)part->n_records;
    if (!hash_index_reserve(&r->instr->symbols.index, most) || !VEC_RESERVE(&r->instr->symbols.list, most))
        return error_memory(error);
    if (!(part->version->caps & RAW_CAP_NAME_POINTERS)) {
        cursor_skip(&c, part->names.at);
        code = name_blob_read(&c, part->names.size, &r->name_budget, "raw.names", &r->instr->symbols, error);
    }
    if (code != APF_OK || !part->vtable_names.size)
        return code;
    c = cursor_make(part->file, part->file_size, part->swap);
    cursor_skip(&c, part->vtable_names.at);
    return name_blob_read(&c, part->vtable_names.size, &r->name_budget, "raw.vtable_names",
                          &r->instr->vtables, error);
}

/* Names that come with their record. Versions 1 and 2: the id is made from the name. */
static int own_name(struct raw_reader *r, const struct raw_part *part, uint64_t i, struct raw_record *rec,
                    struct apf_error *error)
{
    if (part->correlation) {
        struct apf_str known = part->correlation->functions[i].name;
        return known.n
                   ? symbols_add_id(&r->instr->symbols, rec->name_ref, known.p, known.n, true, NULL, error)
                   : APF_OK;
    }
    if (!(part->version->caps & RAW_CAP_NAME_POINTERS))
        return APF_OK;
    if (rec->name_size > r->names_left) {
        struct error_at at = {"raw.record.name", rec->at, rec->name_size, r->names_left};
        return error_bound(error, APF_MALFORMED, at, "functions claim the same bytes as names");
    }
    r->names_left -= rec->name_size;
    const char *name = (const char *)part->file + part->names.at + rec->name_at;
    return symbols_add(&r->instr->symbols, name, rec->name_size, true, &rec->name_ref, NULL, error);
}

/* ---- records ---- */

static int copy_counts(struct raw_reader *r, const struct raw_part *part, const struct raw_record *rec,
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
    if (r->options->lean)
        return APF_OK;
    uint64_t *counts = arena_array(arena, rec->n_counters, sizeof *counts);
    uint8_t *bitmap = rec->n_bitmap ? arena_bytes(arena, rec->n_bitmap) : NULL;
    if (!counts || (rec->n_bitmap && !bitmap))
        return error_memory(error);
    uint64_t at = rec->counters, large = 0;
    for (uint64_t i = 0; i < rec->n_counters; i++, at += part->counter_bytes) {
        counts[i] = raw_part_count(part, at);
        large += counts[i] > COUNT_SUSPECT;
    }
    if (counts[0] >= PSEUDO_WARM) {
        out->flags |= APF_RECORD_PSEUDO;
        large = 0;
    }
    r->instr->quirks[QUIRK_LARGE_COUNTER] += large;
    if (bitmap)
        memcpy(bitmap, part->file + part->bitmap.at + rec->bitmap, rec->n_bitmap);
    out->counts = counts;
    out->bitmap = bitmap;
    return APF_OK;
}

/* Bit i is cleared when counter i differs too much from its uniform counter (LLVM 23's rule: by more than a tenth). */
static int copy_extra(struct raw_reader *r, const struct raw_part *part, const struct raw_record *rec,
                      struct record *out, struct apf_error *error)
{
    bool uniform = part->field[RAW_NUM_UNIFORM] != 0;
    uint64_t timestamp = 0;
    if (r->options->lean)
        return APF_OK;
    if (rec->timestamp_at != UINT64_MAX)
        timestamp = raw_timestamp(load64(part->file + part->counters.at + rec->timestamp_at, part->swap));
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
        copy[i] = load64(part->file + part->uniform.at + rec->uniform + 8 * i, part->swap);
    extra->uniform = copy;
    return APF_OK;
}

/* `rec` is the i-th data record; its bytes are all there. */
static inline int take_record(struct raw_reader *r, struct raw_part_info *info, uint64_t i,
                              struct raw_record *rec, struct apf_error *error)
{
    const struct raw_part *part = &info->part;
    if (rec->skip) {
        r->instr->quirks[QUIRK_ZERO_RECORD]++;
        info->skipped_records = true;
        return APF_OK;
    }
    struct record out = {0};
    out.offset = rec->at;
    int code = own_name(r, part, i, rec, error);
    if (code == APF_OK)
        code = copy_counts(r, part, rec, &out, error);
    if (code == APF_OK)
        code = copy_extra(r, part, rec, &out, error);
    if (code == APF_OK && rec->function_ptr)
        code = raw_targets_add(&r->targets, rec->function_ptr, rec->name_ref, error);
    if (code != APF_OK)
        return code;
    out.id = rec->name_ref;
    out.hash = rec->hash;
    out.symbol = symbols_find_near(&r->instr->symbols, out.id, r->next_symbol);
    r->next_symbol = out.symbol + 1;
    memcpy(out.n_sites, rec->n_sites, sizeof out.n_sites);
    r->instr->info.n_counters += out.n_counts;
    profile_note_hash(r->instr, rec->hash);
    return VEC_PUSH(&r->instr->records, out) ? APF_OK : error_memory(error);
}

int raw_reader_record(struct raw_reader *r, struct raw_part_info *info, uint64_t i, struct raw_record *rec,
                      struct apf_error *error)
{
    return take_record(r, info, i, rec, error);
}

int raw_reader_begin_records(struct raw_reader *r, struct raw_part_info *info, struct apf_error *error)
{
    struct raw_part *part = &info->part;
    uint64_t n = part->n_records;
    if (n > r->records_left) {
        struct error_at at = {"raw.header.num_data", raw_header_at(part, RAW_NUM_DATA), n, r->records_left};
        return error_at(error, APF_LIMIT, at, "more functions than the limit allows");
    }
    r->records_left -= n;
    if (!VEC_RESERVE(&r->instr->records, n) || !raw_targets_reserve(&r->targets, n))
        return error_memory(error);
    raw_part_probe(part);
    info->first_record = r->instr->records.n;
    r->counters_left = CLAIM_FACTOR * (part->counters.size / part->counter_bytes);
    r->bitmap_left = CLAIM_FACTOR * part->bitmap.size;
    r->names_left = CLAIM_FACTOR * part->names.size;
    return APF_OK;
}

static int read_records(struct raw_reader *r, struct raw_part_info *info, struct apf_error *error)
{
    struct raw_part *part = &info->part;
    struct raw_record rec;
    int code = raw_reader_begin_records(r, info, error);
    for (uint64_t i = 0; code == APF_OK && i < part->n_records; i++) {
        code = raw_part_record(part, i, &rec, error);
        if (code == APF_OK)
            code = take_record(r, info, i, &rec, error);
    }
    if (part->correlation && part->bitmap.size && r->bitmap_left == CLAIM_FACTOR * part->bitmap.size)
        r->instr->quirks[QUIRK_BITMAP_UNKNOWN]++;
    info->n_records = r->instr->records.n - info->first_record;
    return code;
}

/* ---- value data ---- */

/* All records without value data share one array of empty sites. */
int raw_reader_empty_sites(struct raw_reader *r, struct raw_part_info *info, size_t from,
                           struct apf_error *error)
{
    struct record *records = r->instr->records.data + info->first_record;
    size_t most = 0;
    for (size_t i = from; i < info->n_records; i++) {
        size_t n = record_site_count(&records[i]);
        most = n > most ? n : most;
        r->empty_claimed += n;
    }
    uint64_t limit = raw_empty_sites_limit(r->instr->records.n);
    if (r->empty_claimed > limit) {
        struct error_at at = {"raw.record.num_value_sites", info->part.data.at, r->empty_claimed, limit};
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
                (struct apf_value *)sites->values; /* ours, made by value_block_sites */
            for (size_t i = 0; i < sites->n; i++)
                values[i].value = raw_targets_resolve(&r->targets, k, values[i].value);
        }
    return APF_OK;
}

static int read_values(struct raw_reader *r, struct raw_part_info *info, uint64_t *end,
                       struct apf_error *error)
{
    struct cursor c = cursor_make(info->part.file, info->part.file_size, info->part.swap);
    bool first = true;
    int code = APF_OK;
    cursor_skip(&c, info->part.values_at);
    for (size_t i = 0; code == APF_OK && i < info->n_records && !info->values_missing; i++) {
        struct record *record = &r->instr->records.data[info->first_record + i];
        if (!record_site_count(record))
            continue;
        info->values_missing = first && raw_part_values_missing(&info->part, cursor_offset(&c));
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

int raw_reader_begin_part(struct raw_reader *r, struct raw_part *part, struct apf_error *error)
{
    bool unpadded = false;
    size_t first = r->ids.ids.n;
    int code = raw_part_ids(part, raw_collect_id, &r->ids, &unpadded, error);
    r->instr->quirks[QUIRK_UNPADDED_IDS] += unpadded;
    if (code != APF_OK)
        return code;
    return raw_part_complete(part, r->options->correlation, r->ids.ids.data + first, r->ids.ids.n - first,
                             error);
}

static int read_part(struct raw_reader *r, struct raw_part_info *info, uint64_t *end, struct apf_error *error)
{
    raw_targets_free(&r->targets);
    int code = raw_reader_begin_part(r, &info->part, error);
    if (code == APF_OK)
        code = read_names(r, &info->part, error);
    if (code == APF_OK)
        code = read_records(r, info, error);
    if (code == APF_OK)
        code = raw_targets_vtables(&r->targets, &info->part, error);
    if (code == APF_OK)
        code = read_values(r, info, end, error);
    raw_note_quirks(r->instr->quirks, &info->part);
    return code;
}

void raw_reader_note_part(struct apf_instr *instr, const struct raw_part *part)
{
    struct apf_instr_info *info = &instr->info;
    if (info->n_profiles == 0) {
        info->version = part->version->version;
        info->version_word = part->version_word;
        info->pointer_bits = 8 * part->pointer_bytes;
        info->big_endian = (bool)HOST_BIG_ENDIAN != part->swap;
        info->variant = part->variant;
    }
    instr->quirks[QUIRK_MIXED_VERSIONS] += info->version != part->version->version;
    info->last_variant = part->variant;
    info->n_profiles++;
    if (part->kinds > instr->max_kinds)
        instr->max_kinds = part->kinds;
}

static int read_parts(struct raw_reader *r, const uint8_t *data, size_t n, struct apf_error *error)
{
    uint64_t at = 0;
    int code = APF_OK;
    while (code == APF_OK && at < n) {
        struct raw_part_info info = {0};
        uint64_t end = 0;
        bool unaligned = false;
        code = raw_part_open(&info.part, data, n, at, error);
        if (code == APF_OK) {
            raw_reader_note_part(r->instr, &info.part);
            code = read_part(r, &info, &end, error);
        }
        info.end = end;
        if (code == APF_OK)
            code = raw_part_next(&info.part, end, &at, &unaligned, error);
        r->instr->quirks[QUIRK_UNALIGNED] += unaligned;
        if (code == APF_OK && r->parts && !VEC_PUSH(&r->parts->list, info))
            code = error_memory(error);
    }
    return code;
}

/* A profile's names may be in another one of the file. */
static void name_the_rest(struct apf_instr *instr)
{
    for (size_t i = 0; i < instr->records.n; i++) {
        struct record *r = &instr->records.data[i];
        if (r->symbol == HASH_INDEX_NONE)
            r->symbol = symbols_find(&instr->symbols, r->id);
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
        name_the_rest(instr);
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

int raw_read_parts(struct apf_instr *instr, const uint8_t *data, size_t n, const struct read_options *options,
                   struct raw_parts *parts, struct apf_error *error)
{
    struct raw_reader r = raw_reader_make(instr, n, options);
    r.parts = parts;
    return raw_reader_finish(&r, read_parts(&r, data, n, error), error);
}
