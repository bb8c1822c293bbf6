/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "instr/indexed/indexed_plan.h"

#include <stdlib.h>

#include "base/endian.h"
#include "base/error.h"
#include "base/sort.h"
#include "instr/model/memprof_model.h"
#include "instr/model/summary.h"

/* ---- sizes ---- */

uint32_t indexed_kinds_written(const struct indexed_plan *w, const struct record *r)
{
    uint32_t n = 0;
    for (unsigned k = 0; k < w->options->choice.value_kinds && k < APF_VALUE_KINDS; k++)
        n += r->n_sites[k] != 0;
    return n;
}

uint64_t indexed_values_size(const struct indexed_plan *w, const struct record *r)
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

static uint64_t record_size(const struct indexed_plan *w, const struct record *r)
{
    uint64_t size = 8 + 8 * (uint64_t)r->n_counts;
    uint32_t n_uniformity = r->extra ? r->extra->n_uniformity : 0;
    if (can(w, INDEXED_CAP_COUNT_FIELD))
        size += 8;
    if (can(w, INDEXED_CAP_BITMAP_WORDS))
        size += 8 + 8 * (uint64_t)r->n_bitmap;
    if (can(w, INDEXED_CAP_BITMAP_BYTES))
        size += 8 + align8(r->n_bitmap) + 8 + align8(n_uniformity);
    return can(w, INDEXED_CAP_VALUES) ? size + indexed_values_size(w, r) : size;
}

/* ---- choosing what is written ---- */

static bool name_is_zero(const struct record *r, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (!record_is_zero(&r[i]))
            return false;
    return true;
}

/* Version 1 holds one record for each name: the one with the highest count, among equals the first. */
static size_t hottest_count(const struct record *r, size_t n)
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

static void count_dropped(struct indexed_plan *w, const struct record *r)
{
    struct write_losses *losses = w->losses;
    for (unsigned k = 0; k < APF_VALUE_KINDS; k++)
        if (!can(w, INDEXED_CAP_VALUES) || k >= w->options->choice.value_kinds)
            losses->values += r->n_sites[k];
    losses->bitmaps += r->n_bitmap && !can(w, INDEXED_CAP_BITMAP);
    losses->uniformity += r->extra && r->extra->n_uniformity && !can(w, INDEXED_CAP_BITMAP_BYTES);
}

/* ---- the order of LLVM's writer ---- */

/* An entry of one of LLVM's maps, and when it was inserted. */
struct seen {
    struct first_seen first;
    uint32_t at; /* number of a record, or of a name */
};

static bool seen_before(const void *context, const void *a, const void *b)
{
    (void)context;
    return first_seen_before(&((const struct seen *)a)->first, &((const struct seen *)b)->first);
}

static struct first_seen seen_of(const struct record *r)
{
    struct first_seen first = {r->rank, r->place};
    return first;
}

/* Sorts the records of one name into LLVM's order. */
static bool order_records(struct indexed_plan *w, const struct record *r, uint32_t n)
{
    const struct record *all = w->view->records.data, **to = w->records + w->n_records;
    w->n_records += n;
    if (n == 1) {
        to[0] = r;
        return true;
    }
    struct seen *seen = arena_array(w->arena, 2 * (size_t)n, sizeof *seen);
    uint64_t *hashes = arena_array(w->arena, n, sizeof *hashes);
    uint32_t *order = arena_array(w->arena, n, sizeof *order);
    if (!seen || !hashes || !order)
        return false;
    for (uint32_t i = 0; i < n; i++) {
        seen[i].at = (uint32_t)(r - all) + i;
        seen[i].first = seen_of(&r[i]);
    }
    sort_merge(seen, seen + n, n, sizeof *seen, seen_before, NULL);
    for (uint32_t i = 0; i < n; i++)
        hashes[i] = all[seen[i].at].hash;
    if (!llvm_hash_map_order(hashes, n, can(w, INDEXED_CAP_OLD_MIX), order))
        return false;
    for (uint32_t i = 0; i < n; i++)
        to[i] = &all[seen[order[i]].at];
    return true;
}

static bool add_key(struct indexed_plan *w, const struct record *r, uint32_t n)
{
    struct indexed_key *key = &w->keys[w->n_keys];
    if (w->options->sparse && name_is_zero(r, n)) {
        w->losses->sparse += n;
        return true;
    }
    if (!can(w, INDEXED_CAP_COUNT_FIELD) && n > 1) {
        w->losses->records += n - 1;
        r += hottest_count(r, n);
        n = 1;
    }
    key->name = &w->view->symbols->list.data[r->symbol];
    key->first = (uint32_t)w->n_records;
    key->n = n;
    key->data_size = 0;
    if (!order_records(w, r, n))
        return false;
    for (uint32_t i = 0; i < n; i++) {
        key->data_size += record_size(w, &r[i]);
        count_dropped(w, &r[i]);
        if (can(w, INDEXED_CAP_VALUES) && indexed_values_size(w, &r[i]) > UINT32_MAX)
            w->too_large = &r[i];
    }
    key->only = n == 1 ? r : NULL;
    w->payload_size += DISK_ITEM_HEAD + (uint64_t)key->name->n + key->data_size;
    w->n_keys++;
    return true;
}

#define NO_KEY UINT32_MAX

/* A name: the number of its first record in the view, and that of its key. */
struct map_name {
    uint32_t record, key;
};

/* Lists all names of the view, also those that are left out, in the order of the keys. Returns their number. */
static uint32_t list_names(const struct indexed_plan *w, struct map_name *names, struct seen *seen)
{
    const struct record *r = w->view->records.data;
    size_t n_records = w->view->records.n;
    uint32_t n = 0, key = 0;
    for (size_t i = 0, end; i < n_records; i = end, n++) {
        bool kept = key < w->n_keys && w->keys[key].name->id == r[i].id;
        names[n].record = (uint32_t)i;
        names[n].key = kept ? key++ : NO_KEY;
        seen[n].at = n;
        seen[n].first = seen_of(&r[i]);
        for (end = i + 1; end < n_records && r[end].id == r[i].id; end++)
            first_seen_min(&seen[n].first, seen_of(&r[end]));
    }
    return n;
}

/* Sorts the keys into the order of LLVM's map, which also holds the names that are left out of the file. */
static bool map_keys(struct indexed_plan *w)
{
    size_t most = w->view->records.n, n_keys = 0;
    struct map_name *names = arena_array(w->arena, most, sizeof *names);
    struct seen *seen = arena_array(w->arena, 2 * most, sizeof *seen);
    struct apf_str *texts = arena_array(w->arena, most, sizeof *texts);
    uint32_t *order = arena_array(w->arena, most, sizeof *order);
    struct indexed_key *keys = arena_array(w->arena, w->n_keys, sizeof *keys);
    if (!names || !seen || !texts || !order || !keys)
        return false;
    uint32_t n = list_names(w, names, seen);
    sort_merge(seen, seen + n, n, sizeof *seen, seen_before, NULL);
    for (uint32_t i = 0; i < n; i++)
        texts[i] = record_name(w->view, &w->view->records.data[names[seen[i].at].record]);
    if (!llvm_string_map_order(texts, n, STRING_HASH_DJB, order))
        return false;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t key = names[seen[order[i]].at].key;
        if (key != NO_KEY)
            keys[n_keys++] = w->keys[key];
    }
    w->keys = keys;
    return true;
}

static int choose_version(struct indexed_plan *w, struct apf_error *error)
{
    const struct record *r = w->view->records.data;
    size_t n = w->view->records.n;
    w->keys = arena_array(w->arena, n, sizeof *w->keys);
    w->records = arena_array(w->arena, n, sizeof *w->records);
    uint64_t *hashes = arena_array(w->arena, n, sizeof *hashes);
    bool ok = w->keys && w->records && hashes;
    for (size_t i = 0, end; ok && i < n; i = end) {
        if (i + FETCH_AHEAD < n) {
            const struct record *ahead = &r[i + FETCH_AHEAD];
            PREFETCH(&w->view->symbols->list.data[ahead->symbol]); /* only records with a name are written */
            if (ahead->sites)
                PREFETCH(ahead->sites);
        }
        for (end = i + 1; end < n && r[end].id == r[i].id; end++)
            continue;
        ok = add_key(w, &r[i], (uint32_t)(end - i));
    }
    if (ok && can(w, INDEXED_CAP_NAME_MAP))
        ok = map_keys(w);
    for (size_t i = 0; ok && i < w->n_keys; i++)
        hashes[i] = w->keys[i].name->id;
    ok = ok && llvm_table_make(&w->table, hashes, w->n_keys, w->arena);
    return ok ? APF_OK : error_memory(error);
}

/* ---- the plan ---- */

static struct apf_summary *summarise_counts(struct indexed_plan *w, int cs)
{
    uint32_t flags = can(w, INDEXED_CAP_NO_PSEUDO) ? SUMMARY_NO_PSEUDO : 0;
    struct summary_input in = {NULL, w->records, w->n_records, cs, flags, NULL, 0};
    return summary_make(&in, w->arena, w->arena);
}

/* Checks sizes: the number of items of a bucket has 16 bits, the size of a record's value data 32. */
static int check_sizes(const struct indexed_plan *w, struct apf_error *error)
{
    if (w->too_large) {
        struct apf_str name = record_name(w->view, w->too_large);
        return error_plain(error, APF_NOT_REPRESENTABLE, "indexed.record.value_data",
                           "more than 4 GiB of value data: %.*s", (int)(name.n < 100 ? name.n : 100), name.p);
    }
    for (size_t b = 0; b < w->table.n_buckets; b++)
        if (w->table.counts[b] > UINT16_MAX)
            return error_plain(error, APF_NOT_REPRESENTABLE, "indexed.table.bucket",
                               "more than 65535 names in one bucket");
    return APF_OK;
}

static int make_vtable_names(struct indexed_plan *w, struct apf_error *error)
{
    const struct apf_instr_info *info = &w->view->info;
    if (!w->options->vtable_names || !can(w, INDEXED_CAP_VTABLES)) {
        w->losses->vtable_names = info->n_vtable_names;
        return APF_OK;
    }
    return name_blob_write(&w->vtables, info->vtable_names, info->n_vtable_names, true, error);
}

static void record_dropped_sections(struct indexed_plan *w)
{
    const struct apf_instr_info *info = &w->view->info;
    if (!can(w, INDEXED_CAP_TRACES)) {
        w->losses->traces = info->n_traces;
        w->variant &= ~APF_VARIANT_TEMPORAL;
    }
    if (!can(w, INDEXED_CAP_IDS))
        w->losses->ids = info->n_binary_ids;
    if (!can(w, INDEXED_CAP_MEMPROF) || !(w->options->choice.variants & APF_VARIANT_MEMPROF)) {
        memprof_count_dropped(w->view->memprof, w->losses);
        w->variant &= ~APF_VARIANT_MEMPROF; /* the bit stands for the section, which has no data */
    }
    w->losses->variants = w->variant & ~w->options->choice.variants;
    w->variant &= w->options->choice.variants;
    w->losses->written = w->variant;
}

int indexed_plan_make(struct indexed_plan *w, struct apf_error *error)
{
    record_dropped_sections(w);
    int code = choose_version(w, error);
    if (code == APF_OK)
        code = check_sizes(w, error);
    if (code == APF_OK)
        code = make_vtable_names(w, error);
    if (code != APF_OK)
        return code;
    if (can(w, INDEXED_CAP_SUMMARY)) {
        bool by_context = can(w, INDEXED_CAP_CS) && w->options->choice.variants & APF_VARIANT_CS;
        w->summary = summarise_counts(w, by_context ? 0 : -1);
        if (w->variant & APF_VARIANT_CS)
            w->cs_summary = summarise_counts(w, 1);
        if (!w->summary || (w->variant & APF_VARIANT_CS && !w->cs_summary))
            return error_memory(error);
    }
    w->bucket_at = arena_array(w->arena, w->table.n_buckets, sizeof *w->bucket_at);
    return w->bucket_at ? APF_OK : error_memory(error);
}

void indexed_plan_free(struct indexed_plan *w)
{
    free(w->vtables.data);
    VEC_FREE(&w->memprof);
}
