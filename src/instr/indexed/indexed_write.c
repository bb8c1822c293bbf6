/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "instr/indexed/indexed_write.h"

#include <string.h>

#include "base/endian.h"
#include "instr/indexed/indexed_plan.h"

/* ---- output ---- */

static void write_bytes(struct indexed_plan *w, const void *p, size_t n)
{
    w->failed |= !file_out_write(w->out, p, n);
}

static void write_u64(struct indexed_plan *w, uint64_t v)
{
    store64le(file_out_room(w->out, 8), v);
    w->out->p += 8;
}

static void write_u32(struct indexed_plan *w, uint32_t v)
{
    store32le(file_out_room(w->out, 4), v);
    w->out->p += 4;
}

/* Writes padding of up to 7 bytes. */
static void write_zeros(struct indexed_plan *w, uint64_t n)
{
    memset(file_out_room(w->out, 8), 0, 8);
    w->out->p += n;
}

static void write_words(struct indexed_plan *w, const uint64_t *p, size_t n)
{
    if (!HOST_BIG_ENDIAN) {
        write_bytes(w, p, n * sizeof *p);
        return;
    }
    for (size_t i = 0; i < n; i++)
        write_u64(w, p[i]);
}

/* ---- summary ---- */

static uint64_t summary_size(const struct apf_summary *s)
{
    return s ? 16 + 8 * INDEXED_SUMMARY_FIELDS + 24 * s->n_rows : 0;
}

static void write_summary(struct indexed_plan *w, const struct apf_summary *s)
{
    if (!s)
        return;
    uint64_t head[] = {INDEXED_SUMMARY_FIELDS, s->n_rows,    s->n_functions,        s->n_counters,
                       s->max_function_count,  s->max_count, s->max_internal_count, s->total_count};
    write_words(w, head, sizeof head / sizeof *head);
    for (size_t i = 0; i < s->n_rows; i++) {
        write_u64(w, s->rows[i].cutoff);
        write_u64(w, s->rows[i].min_count);
        write_u64(w, s->rows[i].n_blocks);
    }
}

/* ---- records ---- */

static void write_values(struct indexed_plan *w, const struct record *r)
{
    const struct apf_site *site = r->sites;
    write_u32(w, (uint32_t)indexed_values_size(w, r));
    write_u32(w, indexed_kinds_written(w, r));
    for (unsigned k = 0; k < w->options->choice.value_kinds && k < APF_VALUE_KINDS; k++) {
        if (!r->n_sites[k])
            continue;
        write_u32(w, k);
        write_u32(w, r->n_sites[k]);
        for (uint32_t i = 0; i < r->n_sites[k]; i++) {
            *file_out_room(w->out, 1) = (uint8_t)site[i].n;
            w->out->p++;
        }
        write_zeros(w, pad8(r->n_sites[k] % 8));
        for (uint32_t i = 0; i < r->n_sites[k]; i++, site++)
            for (size_t v = 0; v < site->n; v++) {
                write_u64(w, site->values[v].value);
                write_u64(w, site->values[v].count);
            }
    }
}

static void write_padded(struct indexed_plan *w, const uint8_t *p, uint32_t n)
{
    write_u64(w, n);
    if (n)
        write_bytes(w, p, n);
    write_zeros(w, pad8(n % 8));
}

static void write_record(struct indexed_plan *w, const struct record *r)
{
    write_u64(w, r->hash);
    if (can(w, INDEXED_CAP_COUNT_FIELD))
        write_u64(w, r->n_counts);
    write_words(w, r->counts, r->n_counts);
    if (can(w, INDEXED_CAP_BITMAP_WORDS)) {
        write_u64(w, r->n_bitmap);
        for (uint32_t i = 0; i < r->n_bitmap; i++)
            write_u64(w, r->bitmap[i]);
    }
    if (can(w, INDEXED_CAP_BITMAP_BYTES)) {
        write_padded(w, r->bitmap, r->n_bitmap);
        write_padded(w, r->extra ? r->extra->uniformity : NULL, r->extra ? r->extra->n_uniformity : 0);
    }
    if (can(w, INDEXED_CAP_VALUES))
        write_values(w, r);
}

/* ---- the table ---- */

/* The size of all buckets: their items, and the number of items before them. */
static uint64_t table_size(const struct indexed_plan *w)
{
    uint64_t size = w->payload_size;
    for (size_t b = 0; b < w->table.n_buckets; b++)
        size += w->table.counts[b] ? 2 : 0;
    return size;
}

/* The key of the i-th item. The order of the table is not that of memory: the data of an item is prefetched while
 * earlier items are written, one step every few items. */
static const struct indexed_key *key_at(const struct indexed_plan *w, size_t i)
{
    return i < w->n_keys ? &w->keys[w->table.order[i]] : NULL;
}

static void fetch_ahead(const struct indexed_plan *w, size_t i)
{
    const struct indexed_key *far = key_at(w, i + 4 * FETCH_AHEAD), *middle = key_at(w, i + 3 * FETCH_AHEAD);
    const struct indexed_key *near = key_at(w, i + 2 * FETCH_AHEAD), *next = key_at(w, i + FETCH_AHEAD);
    if (far)
        PREFETCH(far);
    if (middle) {
        PREFETCH(middle->name);
        if (middle->only)
            PREFETCH(middle->only);
    }
    if (near)
        PREFETCH(near->name->p);
    if (near && near->only) {
        PREFETCH(near->only->counts);
        PREFETCH(&near->only->counts[near->only->n_counts / 2]);
        if (near->only->sites)
            PREFETCH(near->only->sites);
    }
    if (next && next->only && next->only->sites)
        PREFETCH(next->only->sites->values);
}

static void write_item(struct indexed_plan *w, const struct indexed_key *key)
{
    write_u64(w, key->name->id);
    write_u64(w, key->name->n);
    write_u64(w, key->data_size);
    write_bytes(w, key->name->p, key->name->n);
    if (key->only)
        write_record(w, key->only);
    for (uint32_t i = 0; !key->only && i < key->n; i++)
        write_record(w, w->records[key->first + i]);
}

/* Writes the table, whose offset is `at`. */
static void write_table(struct indexed_plan *w, uint64_t at)
{
    uint64_t start = at;
    size_t i = 0;
    for (size_t b = 0; b < w->table.n_buckets && !w->failed; b++) {
        uint32_t n = w->table.counts[b];
        uint8_t count[2] = {(uint8_t)n, (uint8_t)(n >> 8)};
        w->bucket_at[b] = n ? at : 0;
        if (n)
            write_bytes(w, count, 2);
        at += n ? 2 : 0;
        for (size_t end = i + n; i < end; i++) {
            const struct indexed_key *key = key_at(w, i);
            fetch_ahead(w, i);
            write_item(w, key);
            at += DISK_ITEM_HEAD + (uint64_t)key->name->n + key->data_size;
        }
    }
    write_zeros(w, pad8((start + table_size(w)) % 8));
    write_u64(w, w->table.n_buckets);
    write_u64(w, w->n_keys);
    write_words(w, w->bucket_at, w->table.n_buckets);
}

/* ---- sections after the table ---- */

static uint64_t ids_size(const struct indexed_plan *w)
{
    uint64_t size = 0;
    for (size_t i = 0; i < w->view->info.n_binary_ids; i++)
        size += 8 + align8(w->view->info.binary_ids[i].n);
    return size;
}

static void write_ids(struct indexed_plan *w)
{
    write_u64(w, ids_size(w));
    for (size_t i = 0; i < w->view->info.n_binary_ids; i++) {
        const struct apf_str *id = &w->view->info.binary_ids[i];
        write_u64(w, id->n);
        write_bytes(w, id->p, id->n);
        write_zeros(w, pad8(id->n % 8));
    }
}

static void write_traces(struct indexed_plan *w)
{
    const struct apf_instr_info *info = &w->view->info;
    write_u64(w, info->n_traces);
    write_u64(w, info->trace_stream_size);
    for (size_t i = 0; i < info->n_traces; i++) {
        write_u64(w, info->traces[i].weight);
        write_u64(w, info->traces[i].n);
        write_words(w, info->traces[i].ids, info->traces[i].n);
    }
}

/* ---- the file ---- */

static uint64_t max_function_count(const struct indexed_plan *w)
{
    uint64_t most = 0;
    for (size_t i = 0; i < w->n_records; i++)
        if (w->records[i]->counts[0] > most)
            most = w->records[i]->counts[0];
    return most;
}

/* Offsets of the parts of the file. */
struct places {
    uint64_t records, table, memprof, ids, vtables, traces;
};

static struct places find_places(const struct indexed_plan *w)
{
    struct places at;
    at.records = w->version->header_size + summary_size(w->summary) + summary_size(w->cs_summary);
    at.table = align8(at.records + table_size(w));
    at.memprof = at.table + 16 + 8 * w->table.n_buckets;
    at.ids = at.memprof + w->memprof.n;
    at.vtables = at.ids + 8 + ids_size(w);
    at.traces = can(w, INDEXED_CAP_VTABLES) ? at.vtables + 8 + align8(w->vtables.n) : at.vtables;
    return at;
}

/* Writes the file from front to back. All sizes are known before the first byte, so that the output can be a pipe. */
static void write_file(struct indexed_plan *w)
{
    struct places at = find_places(w);
    bool traces = (w->variant & APF_VARIANT_TEMPORAL) != 0;
    uint64_t header[] = {INDEXED_MAGIC,
                         w->version->version | w->variant,
                         can(w, INDEXED_CAP_MAX_COUNT) ? max_function_count(w) : 0,
                         INDEXED_HASH_MD5,
                         at.table,
                         w->memprof.n ? at.memprof : 0,
                         at.ids,
                         traces ? at.traces : 0,
                         at.vtables};
    write_words(w, header, w->version->header_size / 8u);
    write_summary(w, w->summary);
    write_summary(w, w->cs_summary);
    write_table(w, at.records);
    write_bytes(w, w->memprof.data, w->memprof.n);
    if (can(w, INDEXED_CAP_IDS))
        write_ids(w);
    if (can(w, INDEXED_CAP_VTABLES))
        write_padded(w, w->vtables.data, (uint32_t)w->vtables.n);
    if (traces)
        write_traces(w);
}

/* Makes the MemProf section, whose offset must be known, since it holds offsets in the file. */
static int make_memprof(struct indexed_plan *w, struct apf_error *error)
{
    const struct apf_memprof *m = w->view->memprof;
    if (!m || !(w->variant & APF_VARIANT_MEMPROF))
        return APF_OK;
    return memprof_write(&w->memprof, m, &w->options->memprof, find_places(w).memprof, error);
}

int indexed_write(const struct apf_instr *view, const struct indexed_write_options *options,
                  struct file_out *out, struct write_losses *losses, struct arena *scratch,
                  struct apf_error *error)
{
    struct indexed_plan w = {0};
    struct arena_mark mark = arena_mark(scratch);
    w.arena = scratch;
    w.view = view;
    w.options = options;
    w.version = indexed_version_find(options->choice.version);
    w.variant = view->info.variant;
    w.out = out;
    w.losses = losses;
    int code = indexed_plan_make(&w, error);
    if (code == APF_OK)
        code = make_memprof(&w, error);
    if (code == APF_OK)
        write_file(&w);
    indexed_plan_free(&w);
    arena_rewind(scratch, mark);
    return code;
}
