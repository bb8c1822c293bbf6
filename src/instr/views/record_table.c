/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "instr/views/record_table.h"

#include <string.h>

#include "base/error.h"
#include "base/sort.h"
#include "instr/model/value_list.h"

/* The index has each pair of id and hash, and each name once on its own, so that a name with many hashes makes no long
 * chain. */
static uint64_t mix_name(const struct record_table *t, uint64_t id)
{
    return hash_index_mix(&t->index, ~id, 0);
}

uint32_t record_table_find(const struct record_table *t, uint64_t id, uint64_t hash)
{
    uint32_t e;
    HASH_INDEX_FIND(e, &t->index, hash_index_mix(&t->index, id, hash),
                    t->records[e]->id == id && t->records[e]->hash == hash);
    return e;
}

uint32_t record_table_find_name(const struct record_table *t, uint64_t id)
{
    uint32_t e;
    HASH_INDEX_FIND(e, &t->index, mix_name(t, id), t->records[e]->id == id);
    return e;
}

/* ---- values ---- */

static bool value_before(const void *context, const void *a, const void *b)
{
    const struct apf_value *x = a, *y = b;
    const bool *by_count = context;
    return x->value != y->value ? x->value < y->value : *by_count && x->count > y->count;
}

void record_sort_values(struct apf_value *values, struct apf_value *scratch, size_t n, bool by_count)
{
    size_t sorted = 1;
    while (sorted < n && !value_before(&by_count, &values[sorted], &values[sorted - 1]))
        sorted++;
    if (sorted < n)
        sort_merge(values, scratch, n, sizeof *values, value_before, &by_count);
}

/* ---- joined records ---- */

/* Sets the values of a site to those with the largest counts, as LLVM does after each addition. */
static void keep_largest(struct apf_site *site, struct apf_value *values, struct apf_value *scratch, size_t n)
{
    sort_merge(values, scratch, n, sizeof *values, value_count_before, NULL);
    site->values = values;
    site->n = n < SITE_MAX_VALUES ? n : SITE_MAX_VALUES;
}

static bool join_site(struct record_table *t, struct apf_site *to, const struct apf_site *from)
{
    size_t n = to->n + from->n, merged = 0;
    struct apf_value *values = arena_array(&t->arena, n, sizeof *values);
    struct apf_value *pair = arena_array(&t->arena, n, sizeof *pair);
    if (!values || !pair)
        return false;
    struct apf_value *a = pair, *b = pair + to->n, *end = pair + n;
    bool cut = false;
    if (to->n)
        memcpy(a, to->values, to->n * sizeof *a);
    if (from->n)
        memcpy(b, from->values, from->n * sizeof *b);
    record_sort_values(a, values, to->n, true);
    record_sort_values(b, values, from->n, false);
    while (a < pair + to->n || b < end) {
        bool first = a < pair + to->n && (b == end || a->value <= b->value);
        if (!first) {
            values[merged++] = *b++;
            continue;
        }
        values[merged] = *a++;
        if (b < end && b->value == values[merged].value)
            values[merged].count = sum_saturating(values[merged].count, b++->count, 1, UINT64_MAX, &cut);
        merged++;
    }
    keep_largest(to, values, pair, merged);
    return true;
}

/* Joins the sites of `from` into those of `to`, which are a copy that may be changed. */
static bool join_sites(struct record_table *t, struct record *to, struct apf_site *sites,
                       const struct record *from)
{
    const struct apf_site *other = from->sites;
    for (unsigned k = 0; k < APF_VALUE_KINDS; k++) {
        bool same = to->n_sites[k] == from->n_sites[k];
        t->left_out += !same;
        for (uint32_t i = 0; same && i < to->n_sites[k]; i++)
            if (!join_site(t, &sites[i], &other[i]))
                return false;
        sites = ENTRY_AT(sites, to->n_sites[k]);
        other = ENTRY_AT(other, from->n_sites[k]);
    }
    return true;
}

static bool join_counts(struct record_table *t, struct record *to, const struct record *from)
{
    uint64_t *counts = arena_array(&t->arena, to->n_counts, sizeof *counts);
    bool cut = false;
    for (uint32_t i = 0; counts && i < to->n_counts; i++)
        counts[i] = sum_saturating(to->counts[i], from->counts[i], 1, COUNT_MAX, &cut);
    to->counts = counts;
    t->saturated += cut;
    return counts;
}

static bool join_bitmap(struct arena *arena, struct record *to, const struct record *from)
{
    uint8_t *bitmap = arena_array(arena, to->n_bitmap, 1);
    for (uint32_t i = 0; bitmap && i < to->n_bitmap; i++)
        bitmap[i] = to->bitmap[i] | from->bitmap[i];
    to->bitmap = bitmap;
    return bitmap;
}

/* Joins `from` into `to`. A record with another number of counters is left out; of one with another size or
 * numbering of the bitmap only the counters are added; of two pseudo counts the hotter one stays. */
static bool join_record(struct record_table *t, struct record *to, const struct record *from)
{
    bool pseudo = to->flags & APF_RECORD_PSEUDO;
    if (to->n_counts != from->n_counts || pseudo != (bool)(from->flags & APF_RECORD_PSEUDO)) {
        t->left_out++;
        return true;
    }
    if (pseudo) {
        if (from->counts[0] == PSEUDO_HOT)
            to->counts = from->counts;
        return true;
    }
    if (!join_counts(t, to, from))
        return false;
    if (to->n_bitmap != from->n_bitmap || !bitmap_flags_agree(to->flags, from->flags)) {
        t->left_out++;
        return true;
    }
    size_t n = record_site_count(to);
    struct apf_site *sites = arena_array(&t->arena, n, sizeof *sites);
    if (!sites || !join_bitmap(&t->arena, to, from))
        return false;
    if (n)
        memcpy(sites, to->sites, n * sizeof *sites);
    to->sites = sites;
    return join_sites(t, to, sites, from);
}

/* ---- the table ---- */

/* `n`: the largest number of records that the table can get. */
static bool add_record(struct record_table *t, size_t n, const struct record *r)
{
    uint32_t have = record_table_find(t, r->id, r->hash);
    if (have == HASH_INDEX_NONE) {
        uint32_t entry = (uint32_t)t->n++;
        t->records[entry] = r;
        hash_index_add(&t->index, hash_index_mix(&t->index, r->id, r->hash), entry);
        if (record_table_find_name(t, r->id) == HASH_INDEX_NONE)
            hash_index_add(&t->index, mix_name(t, r->id), entry);
        return true;
    }
    if (!t->joined)
        t->joined = arena_zeros(&t->arena, n, sizeof *t->joined);
    if (!t->joined)
        return false;
    if (!t->joined[have]) {
        struct record *copy = arena_alloc(&t->arena, sizeof *copy);
        if (!copy)
            return false;
        *copy = *t->records[have];
        t->records[have] = t->joined[have] = copy;
    }
    return join_record(t, t->joined[have], r);
}

int record_table_make(struct record_table *t, const struct apf_instr *instr, int cs, struct apf_error *error)
{
    size_t n = instr->records.n;
    memset(t, 0, sizeof *t);
    if (n == 0)
        return APF_OK;
    t->records = arena_array(&t->arena, n, sizeof *t->records);
    if (!t->records || !hash_index_reserve(&t->index, 2 * n))
        return hash_index_error(&t->index, error);
    for (size_t i = 0; i < n; i++) {
        const struct record *r = &instr->records.data[i];
        if (i + FETCH_AHEAD < n) {
            record_table_fetch(t, r[FETCH_AHEAD].id, r[FETCH_AHEAD].hash);
            hash_index_fetch(&t->index, mix_name(t, r[FETCH_AHEAD].id));
        }
        if (record_is_of(r, cs) && !add_record(t, n, r))
            return error_memory(error);
    }
    return APF_OK;
}

void record_table_free(struct record_table *t)
{
    hash_index_free(&t->index);
    arena_free(&t->arena);
}
