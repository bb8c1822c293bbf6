/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Compares two functions. */
#include <string.h>

#include "sample/views/sample_diff.h"

/* Equal shares of different sums may differ in the last bits after rounding: a smaller relative difference than this is
 * none. */
#define NOISE 1e-12

static double distance_of(double x, double y)
{
    double distance = x < y ? y - x : x - y;
    return distance > NOISE * (x > y ? x : y) ? distance : 0;
}

/* The distance of two scaled counts. Integers are subtracted where both scales are equal, which rounds only once. */
static double count_distance(const double scale[2], uint64_t a, uint64_t b)
{
    if (scale[0] == scale[1])
        return (double)(a > b ? a - b : b - a) * scale[0];
    return distance_of((double)a * scale[0], (double)b * scale[1]);
}

static double sum_of(struct sample_folded_list list)
{
    double sum = 0;
    for (uint32_t i = 0; i < list.n; i++)
        sum += (double)list.data[i].count;
    return sum;
}

/* The order of the next entries of two lists: below, equal to or above 0. */
static int compare_next(struct sample_folded_list a, struct sample_folded_list b)
{
    if (!a.n || !b.n)
        return a.n ? -1 : 1;
    if (a.data->at != b.data->at)
        return a.data->at < b.data->at ? -1 : 1;
    return a.data->name < b.data->name ? -1 : a.data->name > b.data->name;
}

/* The sum of |a_i - b_i| over all entries, scaled. lone[i] is the number of those that only side i has. */
static double sum_distances(const double scale[2], struct sample_folded_list a, struct sample_folded_list b,
                            uint64_t lone[2])
{
    double moved = 0;
    lone[0] = lone[1] = 0;
    while (a.n || b.n) {
        int order = compare_next(a, b);
        moved += count_distance(scale, order <= 0 ? a.data->count : 0, order >= 0 ? b.data->count : 0);
        lone[0] += order < 0;
        lone[1] += order > 0;
        a.data += order <= 0;
        a.n -= order <= 0;
        b.data += order >= 0;
        b.n -= order >= 0;
    }
    return moved;
}

/* How much of what two lists hold moved between their entries, whatever their sums are: from 0 to 1. */
static double find_moved(struct sample_folded_list a, struct sample_folded_list b, uint64_t lone[2])
{
    double sum[2] = {sum_of(a), sum_of(b)};
    double scale[2] = {sum[0] > 0 ? 1 / sum[0] : 0, sum[1] > 0 ? 1 / sum[1] : 0};
    double moved = sum_distances(scale, a, b, lone);
    int whole = (sum[0] > 0) + (sum[1] > 0);
    return whole ? moved / whole : 0;
}

/* ---- the sides ---- */

static void fill_checksum(struct apf_sample_diff_side *side, struct sample_folded_list checksums)
{
    uint64_t most = 0;
    side->n_checksums = checksums.n;
    for (uint32_t i = 0; i < checksums.n; i++)
        if (!side->checksum || checksums.data[i].count > most) {
            side->checksum = checksums.data[i].at;
            most = checksums.data[i].count;
        }
}

static void fill_side(const struct sample_diff_maker *m, unsigned i, uint32_t function,
                      struct apf_sample_diff_side *side)
{
    const struct sample_folded *folded = &m->folded[i];
    const struct sample_names *names = &m->pair.names;
    uint32_t name = i ? m->other[function] : function;
    struct sample_folded_list callers = sample_folded_list(folded, SAMPLE_FOLDED_CALLERS, function);
    double whole = m->diff->totals.samples[i], sum = sum_of(callers), inlined = 0;
    uint64_t cut = 0;
    side->name.text = sample_names_text(names, name);
    side->name.hash = sample_names_hash(names, name);
    for (uint32_t k = 0; k < callers.n; k++) {
        bool has = callers.data[k].name != SAMPLE_NONE;
        side->samples = sample_sum(side->samples, callers.data[k].count, 1, &cut);
        side->n_callers += has;
        inlined += has ? (double)callers.data[k].count : 0;
    }
    side->share = whole > 0 ? sum / whole : 0;
    side->inlined = sum > 0 ? inlined / sum : 0;
    side->head = folded->heads[function];
    side->attributes = folded->attributes[function];
    fill_checksum(side, sample_folded_list(folded, SAMPLE_FOLDED_CHECKSUMS, function));
    side->n_lines = folded->lists[SAMPLE_FOLDED_LINES].n[function];
    side->n_targets = folded->lists[SAMPLE_FOLDED_TARGETS].n[function];
    side->n_vtables = folded->lists[SAMPLE_FOLDED_VTABLES].n[function];
}

/* ---- both ---- */

static double moved_of(const struct sample_diff_maker *m, uint32_t function, enum sample_folded_kind kind,
                       uint64_t lone[2])
{
    return find_moved(sample_folded_list(&m->folded[0], kind, function),
                      sample_folded_list(&m->folded[1], kind, function), lone);
}

static uint32_t change_if(bool changed, uint32_t change)
{
    return changed ? change : 0;
}

/* Compares what is in the functions, whose code is the same. Returns the sum of the distances of their lines. */
static double compare_insides(const struct sample_diff_maker *m, uint32_t function,
                              struct apf_sample_diff_function *f)
{
    uint64_t lone[2];
    f->lines_moved = moved_of(m, function, SAMPLE_FOLDED_LINES, lone);
    f->side[0].n_lone = lone[0];
    f->side[1].n_lone = lone[1];
    f->targets_moved = moved_of(m, function, SAMPLE_FOLDED_TARGETS, lone);
    bool other_targets = lone[0] || lone[1];
    f->vtables_moved = moved_of(m, function, SAMPLE_FOLDED_VTABLES, lone);
    f->changes |=
        change_if(f->lines_moved > 0 || f->side[0].n_lone || f->side[1].n_lone, APF_SAMPLE_DIFF_LINES) |
        change_if(f->targets_moved > 0 || other_targets, APF_SAMPLE_DIFF_TARGETS) |
        change_if(f->vtables_moved > 0 || lone[0] || lone[1], APF_SAMPLE_DIFF_VTABLES);
    return sum_distances(m->scale, sample_folded_list(&m->folded[0], SAMPLE_FOLDED_LINES, function),
                         sample_folded_list(&m->folded[1], SAMPLE_FOLDED_LINES, function), lone);
}

static void compare_both(const struct sample_diff_maker *m, uint32_t function,
                         struct apf_sample_diff_function *f)
{
    const struct apf_sample_diff_side *a = &f->side[0], *b = &f->side[1];
    const struct apf_sample_diff_totals *t = &m->diff->totals;
    double distance = count_distance(m->scale, a->samples, b->samples), moved = distance;
    uint64_t lone[2] = {0, 0};
    f->changes = change_if(distance > 0, APF_SAMPLE_DIFF_SHARE) |
                 change_if(a->attributes != b->attributes, APF_SAMPLE_DIFF_ATTRIBUTES) |
                 change_if(m->other[function] != function, APF_SAMPLE_DIFF_NAME);
    if (t->callers_compared)
        f->callers_moved = moved_of(m, function, SAMPLE_FOLDED_CALLERS, lone);
    f->changes |= change_if(f->callers_moved > 0 || lone[0] || lone[1], APF_SAMPLE_DIFF_CALLERS);
    if (t->lines_compared && a->checksum && b->checksum && a->checksum != b->checksum) {
        f->changes |= APF_SAMPLE_DIFF_CHECKSUM;
        moved = (double)a->samples * m->scale[0] + (double)b->samples * m->scale[1];
    } else if (t->lines_compared) {
        moved = compare_insides(m, function, f);
    }
    f->effect = m->whole > 0 ? moved / m->whole : 0;
}

void sample_diff_compare(const struct sample_diff_maker *m, uint32_t function,
                         struct apf_sample_diff_function *f)
{
    static const struct apf_sample_diff_function nothing;
    bool has[2];
    *f = nothing;
    for (unsigned i = 0; i < 2; i++) {
        has[i] = sample_folded_list(&m->folded[i], SAMPLE_FOLDED_CALLERS, function).n != 0;
        if (has[i])
            fill_side(m, i, function, &f->side[i]);
    }
    if (has[0] && has[1]) {
        compare_both(m, function, f);
        return;
    }
    unsigned side = has[0] ? 0 : 1;
    f->changes = has[0] ? APF_SAMPLE_DIFF_ONLY_A : APF_SAMPLE_DIFF_ONLY_B;
    f->effect = m->whole > 0 ? (double)f->side[side].samples * m->scale[side] / m->whole : 0;
}
