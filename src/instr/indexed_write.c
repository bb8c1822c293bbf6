/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "instr/indexed_write.h"

#include <stdlib.h>
#include <string.h>

#include "base/endian.h"
#include "base/error.h"
#include "instr/chained_table.h"
#include "instr/indexed_layout.h"
#include "instr/name_blob.h"
#include "instr/summary.h"

/* A name with its records: records[first .. first + n), in the order of the file. */
struct key {
    struct apf_str name;
    uint64_t data_size;
    uint32_t first, n;
};

struct writer {
    const struct apf_instr *view;
    const struct indexed_write_options *options;
    const struct indexed_version *version;
    uint64_t variant;
    struct file_out *out;
    struct apf_merge_stats *stats;
    struct arena arena;
    struct key *keys;
    uint64_t *hashes;
    size_t n_keys;
    const struct record **records; /* of all keys */
    size_t n_records;
    struct apf_summary *summary, *cs_summary;
    struct chained_table table;
    struct name_blob vtables;
    uint64_t *bucket_at;
    const struct record *too_large; /* its value data does not fit in the 32 bits of its size */
    bool failed;                    /* a write failed; file_out_close says why */
};

/* ---- output ---- */

static void put(struct writer *w, const void *p, size_t n)
{
    w->failed |= !file_out_write(w->out, p, n);
}

static void put64(struct writer *w, uint64_t v)
{
    uint8_t b[8];
    store64le(b, v);
    put(w, b, sizeof b);
}

static void put32(struct writer *w, uint32_t v)
{
    uint8_t b[4];
    store32le(b, v);
    put(w, b, sizeof b);
}

static void put_zeros(struct writer *w, uint64_t n)
{
    static const uint8_t zeros[8] = {0};
    put(w, zeros, (size_t)n);
}

static void put_words(struct writer *w, const uint64_t *p, size_t n)
{
    if (!HOST_BIG_ENDIAN) {
        put(w, p, n * sizeof *p);
        return;
    }
    for (size_t i = 0; i < n; i++)
        put64(w, p[i]);
}

static bool can(const struct writer *w, unsigned cap)
{
    return (w->version->caps & cap) != 0;
}

/* ---- sizes ---- */

static uint32_t kinds_written(const struct writer *w, const struct record *r)
{
    uint32_t n = 0;
    for (unsigned k = 0; k < w->options->choice.value_kinds && k < APF_VALUE_KINDS; k++)
        n += r->n_sites[k] != 0;
    return n;
}

static uint64_t values_size(const struct writer *w, const struct record *r)
{
    uint64_t size = 8;
    const struct apf_site *site = r->sites;
    for (unsigned k = 0; k < w->options->choice.value_kinds && k < APF_VALUE_KINDS; k++) {
        if (!r->n_sites[k])
            continue;
        size += 8 + align8(r->n_sites[k]);
        for (uint32_t i = 0; i < r->n_sites[k]; i++, site++)
            size += 16 * (uint64_t)site->n;
    }
    return size;
}

static uint64_t record_size(const struct writer *w, const struct record *r)
{
    uint64_t size = 8 + 8 * (uint64_t)r->n_counts;
    uint32_t n_uniformity = r->extra ? r->extra->n_uniformity : 0;
    if (can(w, INDEXED_CAP_COUNT_FIELD))
        size += 8;
    if (can(w, INDEXED_CAP_BITMAP_WORDS))
        size += 8 + 8 * (uint64_t)r->n_bitmap;
    if (can(w, INDEXED_CAP_BITMAP_BYTES))
        size += 8 + align8(r->n_bitmap) + 8 + align8(n_uniformity);
    return can(w, INDEXED_CAP_VALUES) ? size + values_size(w, r) : size;
}

/* ---- choosing what is written ---- */

static bool all_zero(const struct record *r)
{
    for (uint32_t i = 0; i < r->n_counts; i++)
        if (r->counts[i])
            return false;
    for (uint32_t i = 0; i < r->n_bitmap; i++)
        if (r->bitmap[i])
            return false;
    return true;
}

static bool name_is_zero(const struct record *r, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (!all_zero(&r[i]))
            return false;
    return true;
}

/* Version 1 holds one record for each name: the one with the highest count, of equals the first. */
static size_t hottest(const struct record *r, size_t n)
{
    size_t best = 0;
    uint64_t best_count = 0;
    for (size_t i = 0; i < n; i++)
        for (uint32_t k = 0; k < r[i].n_counts; k++)
            if (r[i].counts[k] > best_count) {
                best = i;
                best_count = r[i].counts[k];
            }
    return best;
}

static void count_dropped(struct writer *w, const struct record *r)
{
    struct apf_merge_stats *s = w->stats;
    for (unsigned k = 0; k < APF_VALUE_KINDS; k++)
        if (!can(w, INDEXED_CAP_VALUES) || k >= w->options->choice.value_kinds)
            s->dropped_values += r->n_sites[k];
    s->dropped_bitmaps += r->n_bitmap && !can(w, INDEXED_CAP_BITMAP);
    s->dropped_uniformity += r->extra && r->extra->n_uniformity && !can(w, INDEXED_CAP_BITMAP_BYTES);
}

/* The records of one name in the order in which LLVM's writer would have them. */
static bool order_records(struct writer *w, const struct record *r, uint32_t n)
{
    const struct record **to = w->records + w->n_records;
    w->n_records += n;
    if (n == 1) {
        to[0] = r;
        return true;
    }
    uint64_t *hashes = malloc(n * sizeof *hashes);
    uint32_t *order = malloc(n * sizeof *order);
    bool ok = hashes && order;
    for (uint32_t i = 0; ok && i < n; i++)
        hashes[i] = r[i].hash;
    ok = ok && hash_map_order(hashes, n, can(w, INDEXED_CAP_OLD_MIX), order);
    for (uint32_t i = 0; ok && i < n; i++)
        to[i] = &r[order[i]];
    free(hashes);
    free(order);
    return ok;
}

static bool add_key(struct writer *w, const struct record *r, uint32_t n)
{
    struct key *key = &w->keys[w->n_keys];
    if (w->options->sparse && name_is_zero(r, n)) {
        w->stats->sparse_dropped += n;
        return true;
    }
    if (!can(w, INDEXED_CAP_COUNT_FIELD) && n > 1) {
        w->stats->dropped_records += n - 1;
        r += hottest(r, n);
        n = 1;
    }
    key->name = record_name(w->view, r);
    key->first = (uint32_t)w->n_records;
    key->n = n;
    key->data_size = 0;
    if (!order_records(w, r, n))
        return false;
    for (uint32_t i = 0; i < n; i++) {
        key->data_size += record_size(w, &r[i]);
        count_dropped(w, &r[i]);
        if (can(w, INDEXED_CAP_VALUES) && values_size(w, &r[i]) > UINT32_MAX)
            w->too_large = &r[i];
    }
    w->hashes[w->n_keys++] = r->id;
    return true;
}

static int choose(struct writer *w, struct apf_error *error)
{
    const struct record *r = w->view->records.data;
    size_t n = w->view->records.n;
    w->keys = arena_array(&w->arena, n, sizeof *w->keys);
    w->hashes = arena_array(&w->arena, n, sizeof *w->hashes);
    w->records = arena_array(&w->arena, n, sizeof *w->records);
    bool ok = w->keys && w->hashes && w->records;
    for (size_t i = 0, end; ok && i < n; i = end) {
        for (end = i + 1; end < n && r[end].id == r[i].id; end++)
            continue;
        ok = add_key(w, &r[i], (uint32_t)(end - i));
    }
    return ok && chained_table_make(&w->table, w->hashes, w->n_keys) ? APF_OK : error_memory(error);
}

/* ---- summary ---- */

static struct apf_summary *summarise(struct writer *w, int cs)
{
    struct summary_builder b;
    unsigned flags = can(w, INDEXED_CAP_NO_PSEUDO) ? SUMMARY_NO_PSEUDO : 0;
    bool ok = true;
    summary_init(&b, cs, flags);
    for (size_t i = 0; ok && i < w->n_records; i++)
        ok = summary_add(&b, w->records[i]);
    struct apf_summary *s = ok ? summary_finish(&b, NULL, SUMMARY_CUTOFFS, &w->arena) : NULL;
    summary_free(&b);
    return s;
}

static uint64_t summary_size(const struct apf_summary *s)
{
    return s ? 16 + 8 * INDEXED_SUMMARY_FIELDS + 24 * s->n_rows : 0;
}

static void put_summary(struct writer *w, const struct apf_summary *s)
{
    if (!s)
        return;
    uint64_t head[] = {INDEXED_SUMMARY_FIELDS, s->n_rows,    s->n_functions,        s->n_counters,
                       s->max_function_count,  s->max_count, s->max_internal_count, s->total_count};
    put_words(w, head, sizeof head / sizeof *head);
    for (size_t i = 0; i < s->n_rows; i++) {
        put64(w, s->rows[i].cutoff);
        put64(w, s->rows[i].min_count);
        put64(w, s->rows[i].n_blocks);
    }
}

/* ---- records ---- */

static void put_values(struct writer *w, const struct record *r)
{
    const struct apf_site *site = r->sites;
    put32(w, (uint32_t)values_size(w, r));
    put32(w, kinds_written(w, r));
    for (unsigned k = 0; k < w->options->choice.value_kinds && k < APF_VALUE_KINDS; k++) {
        if (!r->n_sites[k])
            continue;
        put32(w, k);
        put32(w, r->n_sites[k]);
        for (uint32_t i = 0; i < r->n_sites[k]; i++) {
            uint8_t n = (uint8_t)site[i].n;
            put(w, &n, 1);
        }
        put_zeros(w, pad8(r->n_sites[k] % 8));
        for (uint32_t i = 0; i < r->n_sites[k]; i++, site++)
            for (size_t v = 0; v < site->n; v++) {
                put64(w, site->values[v].value);
                put64(w, site->values[v].count);
            }
    }
}

static void put_padded(struct writer *w, const uint8_t *p, uint32_t n)
{
    put64(w, n);
    if (n)
        put(w, p, n);
    put_zeros(w, pad8(n % 8));
}

static void put_record(struct writer *w, const struct record *r)
{
    put64(w, r->hash);
    if (can(w, INDEXED_CAP_COUNT_FIELD))
        put64(w, r->n_counts);
    put_words(w, r->counts, r->n_counts);
    if (can(w, INDEXED_CAP_BITMAP_WORDS)) {
        put64(w, r->n_bitmap);
        for (uint32_t i = 0; i < r->n_bitmap; i++)
            put64(w, r->bitmap[i]);
    }
    if (can(w, INDEXED_CAP_BITMAP_BYTES)) {
        put_padded(w, r->bitmap, r->n_bitmap);
        put_padded(w, r->extra ? r->extra->uniformity : NULL, r->extra ? r->extra->n_uniformity : 0);
    }
    if (can(w, INDEXED_CAP_VALUES))
        put_values(w, r);
}

/* ---- the table ---- */

/* Bytes of the items, buckets included; notes where each bucket starts. */
static uint64_t place_buckets(struct writer *w, uint64_t at)
{
    for (size_t b = 0; b < w->table.n_buckets; b++) {
        uint32_t item = w->table.heads[b];
        w->bucket_at[b] = item == CHAINED_END ? 0 : at;
        at += item == CHAINED_END ? 0 : 2;
        for (; item != CHAINED_END; item = w->table.next[item])
            at += INDEXED_ITEM_HEAD + w->keys[item].name.n + w->keys[item].data_size;
    }
    return at;
}

/* The number of items of a bucket has 16 bits, the size of a record's value data 32. */
static int check_sizes(const struct writer *w, struct apf_error *error)
{
    if (w->too_large) {
        struct apf_str name = record_name(w->view, w->too_large);
        return error_plain(error, APF_NOT_REPRESENTABLE, "indexed.record.value_data",
                           "more than 4 GiB of value data: %.*s", (int)(name.n < 100 ? name.n : 100), name.p);
    }
    for (size_t b = 0; b < w->table.n_buckets; b++) {
        uint64_t n = 0;
        for (uint32_t item = w->table.heads[b]; item != CHAINED_END; item = w->table.next[item])
            n++;
        if (n > UINT16_MAX)
            return error_plain(error, APF_NOT_REPRESENTABLE, "indexed.table.bucket",
                               "more than 65535 names in one bucket");
    }
    return APF_OK;
}

static void put_bucket(struct writer *w, uint32_t first)
{
    uint16_t n = 0;
    for (uint32_t item = first; item != CHAINED_END; item = w->table.next[item])
        n++;
    uint8_t count[2] = {(uint8_t)n, (uint8_t)(n >> 8)};
    put(w, count, 2);
    for (uint32_t item = first; item != CHAINED_END; item = w->table.next[item]) {
        const struct key *key = &w->keys[item];
        put64(w, w->hashes[item]);
        put64(w, key->name.n);
        put64(w, key->data_size);
        put(w, key->name.p, key->name.n);
        for (uint32_t i = 0; i < key->n; i++)
            put_record(w, w->records[key->first + i]);
    }
}

/* The table's order has nothing to do with that of the memory: what a bucket needs is fetched while those before it are
 * written, one step of the way for every few buckets. */
#define FETCH_STEP 6u

static uint32_t head_of(const struct writer *w, size_t bucket)
{
    return bucket < w->table.n_buckets ? w->table.heads[bucket] : CHAINED_END;
}

static void fetch_ahead(const struct writer *w, size_t bucket)
{
    uint32_t far = head_of(w, bucket + 3 * FETCH_STEP), middle = head_of(w, bucket + 2 * FETCH_STEP);
    uint32_t near = head_of(w, bucket + FETCH_STEP);
    if (far != CHAINED_END)
        PREFETCH(&w->keys[far]);
    if (middle != CHAINED_END) {
        PREFETCH(w->records[w->keys[middle].first]);
        PREFETCH(w->keys[middle].name.p);
    }
    if (near == CHAINED_END)
        return;
    const struct record *r = w->records[w->keys[near].first];
    for (uint32_t i = 0; i < r->n_counts && i < 32; i += 8)
        PREFETCH(&r->counts[i]);
    if (r->sites)
        PREFETCH(r->sites);
}

static void put_table(struct writer *w, uint64_t payload_end)
{
    for (size_t b = 0; b < w->table.n_buckets; b++) {
        fetch_ahead(w, b);
        if (w->table.heads[b] != CHAINED_END)
            put_bucket(w, w->table.heads[b]);
    }
    put_zeros(w, pad8(payload_end % 8));
    put64(w, w->table.n_buckets);
    put64(w, w->n_keys);
    put_words(w, w->bucket_at, w->table.n_buckets);
}

/* ---- sections behind the table ---- */

static uint64_t ids_size(const struct writer *w)
{
    uint64_t size = 0;
    for (size_t i = 0; i < w->view->info.n_binary_ids; i++)
        size += 8 + align8(w->view->info.binary_ids[i].n);
    return size;
}

static void put_ids(struct writer *w)
{
    put64(w, ids_size(w));
    for (size_t i = 0; i < w->view->info.n_binary_ids; i++) {
        const struct apf_str *id = &w->view->info.binary_ids[i];
        put64(w, id->n);
        put(w, id->p, id->n);
        put_zeros(w, pad8(id->n % 8));
    }
}

static void put_traces(struct writer *w)
{
    const struct apf_instr_info *info = &w->view->info;
    put64(w, info->n_traces);
    put64(w, info->trace_stream_size);
    for (size_t i = 0; i < info->n_traces; i++) {
        put64(w, info->traces[i].weight);
        put64(w, info->traces[i].n);
        put_words(w, info->traces[i].ids, info->traces[i].n);
    }
}

static int make_vtable_names(struct writer *w, struct apf_error *error)
{
    const struct apf_instr_info *info = &w->view->info;
    if (!w->options->vtable_names || !can(w, INDEXED_CAP_VTABLES)) {
        w->stats->dropped_vtable_names = info->n_vtable_names;
        return APF_OK;
    }
    return name_blob_write(&w->vtables, info->vtable_names, info->n_vtable_names, true, error);
}

/* ---- the file ---- */

static void note_dropped_sections(struct writer *w)
{
    const struct apf_instr_info *info = &w->view->info;
    if (!can(w, INDEXED_CAP_TRACES)) {
        w->stats->dropped_traces = info->n_traces;
        w->variant &= ~APF_VARIANT_TEMPORAL;
    }
    if (!can(w, INDEXED_CAP_IDS))
        w->stats->dropped_ids = info->n_binary_ids;
    w->stats->dropped_variants = w->variant & ~w->options->choice.variants;
    w->variant &= w->options->choice.variants;
}

static uint64_t max_function_count(const struct writer *w)
{
    uint64_t most = 0;
    for (size_t i = 0; i < w->n_records; i++)
        if (w->records[i]->counts[0] > most)
            most = w->records[i]->counts[0];
    return most;
}

/* Everything is sized before the first byte is written, so that the output can be a pipe. */
static void put_file(struct writer *w)
{
    uint64_t at = w->version->header_size + summary_size(w->summary) + summary_size(w->cs_summary);
    uint64_t payload_end = place_buckets(w, at);
    uint64_t table = align8(payload_end);
    uint64_t ids = table + 16 + 8 * w->table.n_buckets;
    uint64_t vtables = ids + 8 + ids_size(w);
    uint64_t behind = can(w, INDEXED_CAP_VTABLES) ? vtables + 8 + align8(w->vtables.n) : vtables;
    bool traces = (w->variant & APF_VARIANT_TEMPORAL) != 0;
    uint64_t header[] = {INDEXED_MAGIC,
                         w->version->version | w->variant,
                         can(w, INDEXED_CAP_MAX_COUNT) ? max_function_count(w) : 0,
                         INDEXED_HASH_MD5,
                         table,
                         0,
                         ids,
                         traces ? behind : 0,
                         vtables};
    put_words(w, header, w->version->header_size / 8u);
    put_summary(w, w->summary);
    put_summary(w, w->cs_summary);
    put_table(w, payload_end);
    if (can(w, INDEXED_CAP_IDS))
        put_ids(w);
    if (can(w, INDEXED_CAP_VTABLES))
        put_padded(w, w->vtables.data, (uint32_t)w->vtables.n);
    if (traces)
        put_traces(w);
}

static int prepare(struct writer *w, struct apf_error *error)
{
    note_dropped_sections(w);
    int code = choose(w, error);
    if (code == APF_OK)
        code = check_sizes(w, error);
    if (code == APF_OK)
        code = make_vtable_names(w, error);
    if (code != APF_OK)
        return code;
    if (can(w, INDEXED_CAP_SUMMARY)) {
        bool by_context = can(w, INDEXED_CAP_CS) && w->options->choice.variants & APF_VARIANT_CS;
        w->summary = summarise(w, by_context ? 0 : -1);
        if (w->variant & APF_VARIANT_CS)
            w->cs_summary = summarise(w, 1);
        if (!w->summary || (w->variant & APF_VARIANT_CS && !w->cs_summary))
            return error_memory(error);
    }
    w->bucket_at = arena_array(&w->arena, w->table.n_buckets, sizeof *w->bucket_at);
    return w->bucket_at ? APF_OK : error_memory(error);
}

int indexed_write(const struct apf_instr *view, const struct indexed_write_options *options,
                  struct file_out *out, struct apf_merge_stats *stats, struct apf_error *error)
{
    struct writer w = {0};
    w.view = view;
    w.options = options;
    w.version = indexed_version_find(options->choice.version);
    w.variant = view->info.variant;
    w.out = out;
    w.stats = stats;
    int code = prepare(&w, error);
    if (code == APF_OK)
        put_file(&w);
    chained_table_free(&w.table);
    free(w.vtables.data);
    arena_free(&w.arena);
    return code;
}
