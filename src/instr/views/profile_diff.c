/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "instr/views/profile_diff.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/name_meant.h"
#include "base/options.h"
#include "base/sort.h"

/* A record that has no counterpart with its name and hash in the other profile. */
struct leftover {
    uint64_t name; /* the function's id in the second profile */
    uint64_t hash;
    double sum;
    const struct record *record;
    bool of_b;
};

struct maker {
    struct apf_diff *diff;
    struct name_pairs pairs;
    uint8_t *used; /* for each record of the second profile: it has a counterpart */
    VEC(struct leftover) leftovers;
    struct arena arena;
};

/* ---- one function ---- */

static bool is_wanted(const struct apf_diff *diff, const struct apf_diff_function *f)
{
    struct apf_str part = diff->options.function;
    for (unsigned i = 0; part.n && i < 2; i++)
        if (name_is_meant(f->side[i].name, part, diff->options.also, diff->options.user))
            return true;
    return part.n == 0;
}

/* Compares a pair, one of which may be NULL, and adds the difference. */
static bool add_pair(struct apf_diff *diff, const struct record *a, const struct record *b)
{
    struct apf_diff_function f;
    struct apf_diff_totals *totals = &diff->totals;
    if (!diff_record(diff, a, b, &f))
        return false;
    if (!is_wanted(diff, &f))
        return true;
    totals->functions[0] += a != NULL;
    totals->functions[1] += b != NULL;
    if (!f.changes) {
        totals->equal++;
        return true;
    }
    totals->differ++;
    totals->difference += f.effect;
    for (unsigned i = 0; i < APF_DIFF_CHANGES; i++) {
        bool has = f.changes >> i & 1;
        totals->changes[i].n += has;
        totals->changes[i].effect += has ? f.effect : 0;
    }
    return VEC_PUSH(&diff->functions, f);
}

/* ---- pairs ---- */

static bool add_leftover(struct maker *m, const struct record *r, uint64_t name, bool of_b)
{
    struct leftover left = {name, r->hash, diff_sum(r), r, of_b};
    return VEC_PUSH(&m->leftovers, left);
}

static bool pair_equal_hashes(struct maker *m)
{
    const struct record_table *a = &m->diff->table[0], *b = &m->diff->table[1];
    for (size_t i = 0; i < a->n; i++) {
        const struct record *r = a->records[i];
        uint64_t name = diff_paired_name(&m->pairs, r->id);
        uint32_t other = record_table_find(b, name, r->hash);
        if (other == HASH_INDEX_NONE ? !add_leftover(m, r, name, false)
                                     : !add_pair(m->diff, r, b->records[other]))
            return false;
        if (other != HASH_INDEX_NONE)
            m->used[other] = 1;
    }
    for (size_t i = 0; i < b->n; i++)
        if (!m->used[i] && !add_leftover(m, b->records[i], b->records[i]->id, true))
            return false;
    return true;
}

/* The order by name, profile, counts from the largest down, hash. */
static bool leftover_before(const void *context, const void *pa, const void *pb)
{
    const struct leftover *a = pa, *b = pb;
    (void)context;
    if (a->name != b->name)
        return a->name < b->name;
    if (a->of_b != b->of_b)
        return b->of_b;
    if (a->sum != b->sum)
        return a->sum > b->sum;
    return a->hash < b->hash;
}

static bool pair_leftovers(struct maker *m)
{
    if (!SORT_VEC(&m->leftovers, leftover_before, NULL))
        return false;
    const struct leftover *list = m->leftovers.data;
    size_t n = m->leftovers.n;
    for (size_t i = 0, b, end; i < n; i = end) {
        for (b = i; b < n && list[b].name == list[i].name && !list[b].of_b; b++)
            continue;
        for (end = b; end < n && list[end].name == list[i].name; end++)
            continue;
        size_t n_a = b - i, n_b = end - b;
        for (size_t k = 0; k < n_a || k < n_b; k++)
            if (!add_pair(m->diff, k < n_a ? list[i + k].record : NULL, k < n_b ? list[b + k].record : NULL))
                return false;
    }
    return true;
}

/* ---- the profiles ---- */

static bool function_before(const void *context, const void *pa, const void *pb)
{
    const struct apf_diff_function *a = pa, *b = pb;
    (void)context;
    if (a->effect != b->effect)
        return a->effect > b->effect;
    struct apf_str x = diff_side(a)->name, y = diff_side(b)->name;
    int order = sort_compare_bytes(x.p, x.n, y.p, y.n);
    if (order)
        return order < 0;
    const struct apf_diff_side *s = &a->side[0], *t = &b->side[0];
    return s->hash != t->hash ? s->hash < t->hash : a->side[1].hash < b->side[1].hash;
}

static void find_scales(struct apf_diff *diff)
{
    double *counts = diff->totals.counts;
    bool absolute = diff->options.flags & APF_DIFF_ABSOLUTE;
    for (unsigned side = 0; side < 2; side++) {
        const struct record_table *t = &diff->table[side];
        for (size_t i = 0; i < t->n; i++)
            counts[side] += diff_sum(t->records[i]);
        diff->scale[side] = absolute ? 1 : counts[side] > 0 ? 1 / counts[side] : 0;
        diff->whole += absolute ? counts[side] : counts[side] > 0;
    }
}

static int make_tables(struct apf_diff *diff, struct apf_error *error)
{
    int code = APF_OK;
    for (unsigned side = 0; code == APF_OK && side < 2; side++) {
        bool ir = diff->instr[side]->info.variant & APF_VARIANT_IR;
        int cs = ir ? (diff->options.flags & APF_DIFF_CS) != 0 : -1;
        code = record_table_make(&diff->table[side], diff->instr[side], cs, error);
        diff->totals.variant[side] = diff->instr[side]->info.variant;
        diff->totals.left_out[side] = diff->table[side].left_out;
        diff->totals.saturated[side] = diff->table[side].saturated;
    }
    return code;
}

static int compare_all(struct apf_diff *diff, struct apf_error *error)
{
    struct maker m = {.diff = diff};
    int code = make_tables(diff, error);
    if (code == APF_OK)
        find_scales(diff);
    if (code == APF_OK && !(diff->options.flags & APF_DIFF_EXACT_NAMES))
        code = diff_pair_names(&m.pairs, diff, error);
    if (code == APF_OK) {
        m.used = arena_zeros(&m.arena, diff->table[1].n, sizeof *m.used);
        bool done = m.used && pair_equal_hashes(&m) && pair_leftovers(&m) &&
                    SORT_VEC(&diff->functions, function_before, NULL);
        code = done ? APF_OK : error_memory(error);
    }
    VEC_FREE(&m.pairs.list);
    VEC_FREE(&m.leftovers);
    arena_free(&m.arena);
    return code;
}

#define ALL_FLAGS (APF_DIFF_CS | APF_DIFF_ABSOLUTE | APF_DIFF_EXACT_NAMES | APF_DIFF_JSON)

int apf_diff_new(struct apf_diff **diff, const struct apf_instr *a, const struct apf_instr *b,
                 const struct apf_diff_options *options, struct apf_error *error)
{
    *diff = NULL;
    struct apf_diff *made = calloc(1, sizeof *made);
    if (!made)
        return error_memory(error);
    int code = OPTIONS_READ(apf_diff_options, &made->options, options, error);
    if (code == APF_OK)
        code = flags_check(made->options.flags, ALL_FLAGS, "apf_diff_options.flags", error);
    made->instr[0] = a;
    made->instr[1] = b;
    if (code == APF_OK)
        code = compare_all(made, error);
    if (code == APF_OK)
        *diff = made;
    else
        apf_diff_free(made);
    return code;
}

const struct apf_diff_function *apf_diff_function(const struct apf_diff *diff, size_t i)
{
    return i < diff->functions.n ? &diff->functions.data[i] : NULL;
}

const struct apf_diff_totals *apf_diff_totals(const struct apf_diff *diff)
{
    return &diff->totals;
}

void apf_diff_free(struct apf_diff *diff)
{
    if (!diff)
        return;
    VEC_FREE(&diff->functions);
    record_table_free(&diff->table[0]);
    record_table_free(&diff->table[1]);
    free(diff);
}
