/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "instr/partial/partial_sums.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/sort.h"

/* What a record has: bits of its first number. */
#define HAS_PSEUDO 1u
#define HAS_SATURATED 2u
#define HAS_SPARSE 4u
#define HAS_DENSE 8u
#define HAS_VALUES 16u
#define HAS_UNIFORM 32u
#define HAS_INPUT 64u
#define HAS_ALL 127u

/* Of uniform counters. */
#define UNIFORM_COUNTERS 1u
#define UNIFORM_BITS 2u
#define UNIFORM_MIXED 4u
#define UNIFORM_ALL 7u

static const struct {
    uint32_t flag, bit;
} flag_bits[] = {{APF_RECORD_PSEUDO, HAS_PSEUDO},
                 {APF_RECORD_SATURATED, HAS_SATURATED},
                 {APF_RECORD_SPARSE_BITMAP, HAS_SPARSE},
                 {APF_RECORD_DENSE_BITMAP, HAS_DENSE}};

/* ---- writing ---- */

static bool any_values(const struct sum *s)
{
    const size_t n = sum_site_count(s);
    for (size_t i = 0; i < n; i++)
        if (sum_site(s, i).n)
            return true;
    return false;
}

/* Whether a kind has more sites than are believed without bytes that stand for them. Raw profiles have no more. */
static bool has_many_sites(const struct sum *s)
{
    bool many = false;
    for (unsigned k = 0; k < APF_VALUE_KINDS; k++)
        many |= s->n_sites[k] > UINT16_MAX;
    return many;
}

static uint32_t bits_of(const struct sum *s)
{
    uint32_t bits = 0;
    for (size_t i = 0; i < sizeof flag_bits / sizeof *flag_bits; i++)
        bits |= s->flags & flag_bits[i].flag ? flag_bits[i].bit : 0;
    bits |= any_values(s) || has_many_sites(s) ? HAS_VALUES : 0;
    bits |= s->uniform ? HAS_UNIFORM : 0;
    return bits | (s->input != INPUT_NONE ? HAS_INPUT : 0);
}

/* Writes counts, which are small numbers mostly. */
static void write_counts(struct partial_writer *file, const uint64_t *counts, uint32_t n)
{
    const uint32_t step = 4096;
    for (uint32_t i = 0; i < n;) {
        const uint32_t end = n - i < step ? n : i + step;
        uint8_t *to = partial_room(file, (size_t)step * ULEB128_MAX);
        if (!to)
            return;
        size_t used = 0;
        for (; i < end; i++)
            used += uleb128_store(to + used, counts[i]);
        partial_took(file, used);
    }
}

/* The values of a site as they are in no other form: of a single addition in its order, else sorted. */
static const struct apf_value *settled_values(struct partial_sums_writer *w, const struct sum *s, size_t i,
                                              uint32_t *n)
{
    const struct apf_site site = sum_site(s, i);
    bool cut = false;
    *n = (uint32_t)site.n;
    if (!s->sites || s->sites[i].sorted == site.n)
        return site.values;
    w->values.n = 0;
    if (!VEC_RESERVE(&w->values, site.n)) {
        w->file->no_memory = true;
        return site.values;
    }
    struct value_list copy = {w->values.data, *n, s->sites[i].sorted, *n};
    memcpy(copy.values, site.values, site.n * sizeof *copy.values);
    w->file->no_memory |= !value_list_settle(&copy, &cut);
    *n = copy.n;
    return copy.values;
}

static void write_site(struct partial_sums_writer *w, const struct sum *s, size_t i, unsigned kind)
{
    uint32_t n;
    const struct apf_value *v = settled_values(w, s, i, &n);
    partial_number(w->file, n);
    for (uint32_t k = 0; k < n; k++) {
        if (kind == APF_VALUE_MEMOP_SIZE)
            partial_number(w->file, v[k].value);
        else
            partial_fixed(w->file, v[k].value); /* a hash */
        partial_number(w->file, v[k].count);
    }
}

static void write_uniform(struct partial_writer *file, const struct sum *s)
{
    const struct uniform_sum *u = s->uniform;
    const bool bits = u->bits && !u->mixed;
    partial_number(file, (u->counters ? UNIFORM_COUNTERS : 0) | (bits ? UNIFORM_BITS : 0) |
                             (u->mixed ? UNIFORM_MIXED : 0));
    partial_number(file, u->adds);
    if (u->counters)
        write_counts(file, u->counters, s->n_counts);
    if (bits)
        partial_text(file, (struct apf_str){(const char *)u->bits, u->n_bits});
}

void partial_write_sum(struct partial_sums_writer *w, const struct classed_sum *classed)
{
    struct partial_writer *file = w->file;
    const struct sum *s = &classed->sum;
    const uint32_t bits = bits_of(s);
    size_t at = 0;
    partial_number(file, bits);
    partial_number(file, classed->class - w->class);
    partial_number(file, classed->class == w->class ? s->id - w->id : s->id);
    partial_fixed(file, s->hash);
    partial_number(file, s->n_counts);
    partial_number(file, s->n_bitmap);
    for (unsigned k = 0; k < APF_VALUE_KINDS; k++)
        partial_number(file, s->n_sites[k]);
    partial_number(file, s->adds);
    partial_number(file, s->weight);
    partial_fixed(file, s->rank);
    partial_number(file, s->place);
    if (bits & HAS_INPUT)
        partial_number(file, w->inputs ? inputs_listing_number(w->inputs, s->input) : s->input);
    write_counts(file, s->counts, s->n_counts);
    partial_bytes(file, s->bitmap, s->n_bitmap);
    for (unsigned k = 0; bits & HAS_VALUES && k < APF_VALUE_KINDS; k++)
        for (uint32_t i = 0; i < s->n_sites[k]; i++, at++)
            write_site(w, s, at, k);
    if (s->uniform)
        write_uniform(file, s);
    partial_end_record(file);
    w->class = classed->class;
    w->id = s->id;
}

static bool sum_before(const void *context, const void *a, const void *b)
{
    (void)context;
    return sum_compare(*(const struct sum *const *)a, *(const struct sum *const *)b) < 0;
}

/* By id, then the few of one id. */
bool partial_sort_sums(const struct sum **sums, size_t n)
{
    struct sort_key *keys = malloc(2 * n * sizeof *keys + 1);
    const struct sum **sorted = malloc(n * sizeof *sorted + 1);
    const bool ok = keys && sorted;
    for (size_t i = 0; ok && i < n; i++)
        keys[i] = (struct sort_key){sums[i]->id, i};
    if (ok)
        sort_keys(keys, keys + n, n);
    for (size_t i = 0; ok && i < n; i++)
        sorted[i] = sums[keys[i].value];
    for (size_t i = 0, end; ok && i < n; i = end) {
        for (end = i + 1; end < n && sorted[end]->id == sorted[i]->id; end++)
            continue;
        sort_merge(sorted + i, sums + i, end - i, sizeof *sorted, sum_before, NULL);
    }
    if (ok && n)
        memcpy(sums, sorted, n * sizeof *sums);
    free(sorted);
    free(keys);
    return ok;
}

int partial_write_total(struct partial_sums_writer *w, uint32_t class, const struct sum *const *sums,
                        size_t n, struct apf_error *error)
{
    struct arena arena = {0};
    struct sum *total = n > 1 ? sum_empty(sums[0], &arena) : NULL;
    int code = n == 1 || total ? APF_OK : error_memory(error);
    for (size_t i = 0; code == APF_OK && total && i < n; i++)
        code = sum_add(total, sums[i], &arena, error);
    const struct classed_sum classed = {class, total ? *total : *sums[0]};
    if (code == APF_OK)
        partial_write_sum(w, &classed);
    arena_free(&arena);
    return code;
}

void partial_sums_writer_free(struct partial_sums_writer *w)
{
    VEC_FREE(&w->values);
}

/* ---- reading ---- */

/* Each count has a byte at least, so that a wrong number costs no memory. NULL: an allocation failed. */
static uint64_t *read_counts(struct cursor *c, uint32_t n, struct arena *arena)
{
    c->failed |= n > cursor_left(c);
    uint64_t *counts = arena_array(arena, c->failed ? 0 : n, sizeof *counts);
    for (uint32_t i = 0; counts && !c->failed && i < n; i++)
        counts[i] = cursor_uleb128(c);
    return counts;
}

static bool read_site(struct cursor *c, unsigned kind, struct arena *arena, struct apf_site *site)
{
    const uint64_t n = cursor_uleb128(c);
    c->failed |= n > cursor_left(c) / 2 || n > UINT32_MAX;
    struct apf_value *values = arena_array(arena, c->failed ? 0 : (size_t)n, sizeof *values);
    site->values = values;
    site->n = c->failed ? 0 : (size_t)n;
    for (size_t i = 0; values && !c->failed && i < site->n; i++) {
        values[i].value = kind == APF_VALUE_MEMOP_SIZE ? cursor_uleb128(c) : cursor_u64(c);
        values[i].count = cursor_uleb128(c);
    }
    return values != NULL;
}

static bool is_sorted(const struct apf_site *site)
{
    for (size_t i = 1; i < site->n; i++)
        if (site->values[i - 1].value >= site->values[i].value)
            return false;
    return true;
}

/* Makes lists of sites that were read. */
static bool make_lists(struct sum *s, const struct apf_site *sites, size_t n, struct arena *arena,
                       bool *sorted)
{
    s->sites = arena_zeros(arena, n, sizeof *s->sites);
    for (size_t i = 0; s->sites && i < n; i++) {
        struct value_list *l = &s->sites[i];
        l->values = (struct apf_value *)(uintptr_t)sites[i].values;
        l->n = l->sorted = l->capacity = (uint32_t)sites[i].n;
        *sorted = *sorted && is_sorted(&sites[i]);
    }
    return s->sites != NULL;
}

static bool read_sites(struct cursor *c, struct sum *s, struct arena *arena, bool *sorted)
{
    const size_t n = sum_site_count(s);
    c->failed |= n > cursor_left(c);
    struct apf_site *sites = c->failed ? NULL : arena_array(arena, n, sizeof *sites);
    size_t at = 0;
    bool ok = c->failed || sites;
    for (unsigned k = 0; ok && k < APF_VALUE_KINDS; k++)
        for (uint32_t i = 0; ok && !c->failed && i < s->n_sites[k]; i++)
            ok = read_site(c, k, arena, &sites[at++]);
    if (!ok || c->failed)
        return ok;
    if (s->adds == 1)
        s->first = sites;
    return s->adds == 1 || make_lists(s, sites, n, arena, sorted);
}

static bool read_uniform(struct partial_reader *file, struct sum *s, struct arena *arena)
{
    struct uniform_sum *u = arena_zeros(arena, 1, sizeof *u);
    if (!u)
        return false;
    const uint64_t has = cursor_uleb128(&file->c);
    file->c.failed |= has > UNIFORM_ALL;
    u->adds = cursor_uleb128(&file->c);
    u->mixed = has & UNIFORM_MIXED;
    if (has & UNIFORM_COUNTERS && !(u->counters = read_counts(&file->c, s->n_counts, arena)))
        return false;
    if (has & UNIFORM_BITS) {
        const struct apf_str bits = partial_read_text(file);
        file->c.failed |= bits.n > UINT32_MAX;
        u->n_bits = file->c.failed ? 0 : (uint32_t)bits.n;
        u->bits = (uint8_t *)arena_text(arena, bits.p ? bits.p : "", u->n_bits);
    }
    s->uniform = u;
    return !(has & UNIFORM_BITS) || u->bits;
}

/* Reads the numbers of a sum. */
static uint32_t read_head(struct partial_sums_reader *r, struct classed_sum *classed)
{
    struct cursor *c = &r->file->c;
    struct sum *s = &classed->sum;
    const uint32_t bits = partial_read_small(c), class = partial_read_small(c);
    const uint64_t id = cursor_uleb128(c);
    *classed = (struct classed_sum){.class = r->last.class + class};
    s->id = class ? id : r->last.sum.id + id;
    s->hash = cursor_u64(c);
    s->n_counts = partial_read_small(c);
    s->n_bitmap = partial_read_small(c);
    for (unsigned k = 0; k < APF_VALUE_KINDS; k++)
        s->n_sites[k] = partial_read_small(c);
    c->failed |= has_many_sites(s) && !(bits & HAS_VALUES);
    s->adds = cursor_uleb128(c);
    s->weight = cursor_uleb128(c);
    s->rank = cursor_u64(c);
    s->place = partial_read_small(c);
    s->input = bits & HAS_INPUT ? partial_read_small(c) : INPUT_NONE;
    s->symbol = HASH_INDEX_NONE;
    for (size_t i = 0; i < sizeof flag_bits / sizeof *flag_bits; i++)
        s->flags |= bits & flag_bits[i].bit ? flag_bits[i].flag : 0;
    return bits;
}

/* Reads the arrays of a sum. False: an allocation failed. *sorted: the values of sites are in order. */
static bool read_arrays(struct partial_reader *file, struct sum *s, uint32_t bits, struct arena *arena,
                        bool *sorted)
{
    s->counts = read_counts(&file->c, s->n_counts, arena);
    const uint8_t *bitmap = cursor_bytes(&file->c, s->n_bitmap);
    s->bitmap = file->c.failed || s->n_bitmap == 0 ? NULL : arena_bytes(arena, s->n_bitmap);
    if (s->bitmap)
        memcpy(s->bitmap, bitmap, s->n_bitmap);
    bool ok = s->counts && (s->bitmap || s->n_bitmap == 0 || file->c.failed);
    if (ok && bits & HAS_VALUES)
        ok = read_sites(&file->c, s, arena, sorted);
    if (ok && bits & HAS_UNIFORM)
        ok = read_uniform(file, s, arena);
    return ok;
}

/* Whether a sum may follow the last one. */
static bool is_next(const struct partial_sums_reader *r, const struct classed_sum *s)
{
    return !r->any || s->class > r->last.class ||
           (s->class == r->last.class && sum_compare(&r->last.sum, &s->sum) < 0);
}

int partial_read_sum(struct partial_sums_reader *r, struct arena *arena, struct classed_sum *s, bool *more,
                     struct apf_error *error)
{
    bool sorted = true;
    int code = partial_next(r->file, PARTIAL_SUMS, more, error);
    if (code != APF_OK || !*more)
        return code;
    const uint32_t bits = read_head(r, s);
    if (!read_arrays(r->file, &s->sum, bits, arena, &sorted))
        return error_memory(error);
    code = partial_check(r->file, "partial.sum", error);
    if (code == APF_OK && (bits > HAS_ALL || s->sum.adds == 0 || s->sum.n_counts == 0 ||
                           !bitmap_flags_agree(s->sum.flags, s->sum.flags)))
        code = partial_wrong(r->file, "partial.sum", "a sum cannot be as this one", error);
    if (code == APF_OK && !(sorted && is_next(r, s)))
        code =
            partial_wrong(r->file, "partial.sum", "sums, or the values of a site, are not in order", error);
    r->last = *s;
    r->any = true;
    return code;
}
