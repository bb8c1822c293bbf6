/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Compares two records of one function. */
#include <string.h>

#include "instr/views/profile_diff.h"

static bool is_pseudo(const struct record *r)
{
    return r->flags & APF_RECORD_PSEUDO;
}

double diff_sum(const struct record *r)
{
    double sum = 0;
    for (uint32_t i = 0; i < r->n_counts && !is_pseudo(r); i++)
        sum += (double)r->counts[i];
    return sum;
}

static double absolute_value(double v)
{
    return v < 0 ? -v : v;
}

static void fill_side(const struct apf_diff *diff, unsigned side, const struct record *r,
                      struct apf_diff_side *to)
{
    double whole = diff->totals.counts[side];
    to->name = record_name(diff->instr[side], r);
    to->id = r->id;
    to->hash = r->hash;
    to->count = record_weight(r);
    to->share = whole > 0 ? diff_sum(r) / whole : 0;
    to->n_counts = r->n_counts;
    to->n_bitmap = r->n_bitmap;
    for (unsigned k = 0; k < APF_VALUE_KINDS; k++)
        to->n_sites[k] = r->n_sites[k];
}

/* ---- counters ---- */

/* Equal shares of different sums may differ in the last bits after rounding: a smaller relative difference than this is
 * none. */
#define NOISE 1e-12

static uint64_t real_count(const struct record *r, uint32_t i)
{
    return is_pseudo(r) ? 0 : r->counts[i];
}

/* The distance of two scaled counts. Integers are subtracted where both scales are equal, which rounds only once. */
static double find_distance(const struct apf_diff *diff, uint64_t a, uint64_t b)
{
    if (diff->scale[0] == diff->scale[1])
        return (double)(a > b ? a - b : b - a) * diff->scale[0];
    double x = (double)a * diff->scale[0], y = (double)b * diff->scale[1];
    double distance = absolute_value(x - y);
    return distance > NOISE * (x > y ? x : y) ? distance : 0;
}

/* The sum of |a_i - b_i| over all counters; both records have the same number. */
static double sum_moved_counts(const struct apf_diff *diff, const struct record *a, const struct record *b)
{
    double moved = 0;
    for (uint32_t i = 0; i < a->n_counts; i++)
        moved += find_distance(diff, real_count(a, i), real_count(b, i));
    return moved;
}

/* ---- bitmaps ---- */

static uint64_t count_changed_bits(const struct record *a, const struct record *b)
{
    uint64_t n = 0;
    for (uint32_t i = 0; i < a->n_bitmap; i++)
        for (unsigned bits = a->bitmap[i] ^ b->bitmap[i]; bits; bits &= bits - 1)
            n++;
    return n;
}

/* ---- values ---- */

static double sum_values(const struct record *r)
{
    double sum = 0;
    for (size_t i = 0; i < record_site_count(r); i++)
        for (size_t k = 0; k < r->sites[i].n; k++)
            sum += (double)r->sites[i].values[k].count;
    return sum;
}

struct value_share {
    uint64_t value;
    double share; /* of the counts of all sites */
};

/* Lists the values of a site in ascending order, each once. Returns their number. `sorted` has room for 2 * site->n. */
static size_t list_shares(const struct apf_site *site, double whole, struct apf_value *sorted,
                          struct value_share *shares)
{
    size_t n = 0;
    if (site->n == 0)
        return 0;
    memcpy(sorted, site->values, site->n * sizeof *sorted);
    record_sort_values(sorted, sorted + site->n, site->n, false);
    for (size_t i = 0; i < site->n; i++) {
        double share = (double)sorted[i].count / whole;
        if (n && shares[n - 1].value == sorted[i].value) {
            shares[n - 1].share += share;
        } else {
            struct value_share new = {sorted[i].value, share};
            shares[n++] = new;
        }
    }
    return n;
}

static double sum_moved_shares(const struct value_share *a, size_t n_a, const struct value_share *b,
                               size_t n_b)
{
    double moved = 0;
    while (n_a || n_b) {
        bool in_a = n_a && (!n_b || a->value <= b->value), in_b = n_b && (!n_a || b->value <= a->value);
        double x = in_a ? a->share : 0, y = in_b ? b->share : 0;
        double distance = absolute_value(x - y);
        moved += distance > NOISE * (x > y ? x : y) ? distance : 0;
        a += in_a;
        n_a -= in_a;
        b += in_b;
        n_b -= in_b;
    }
    return moved;
}

/* Sets *moved to the share of value counts that moved, 0 .. 1. Both records have the same number of sites of each kind.
 * False: allocation failed. */
static bool find_moved_values(const struct record *a, const struct record *b, double *moved)
{
    size_t most = 0;
    double sum_a = sum_values(a), sum_b = sum_values(b), sum = 0;
    *moved = (sum_a > 0) != (sum_b > 0) ? 1 : 0;
    if (sum_a <= 0 || sum_b <= 0)
        return true;
    for (size_t i = 0; i < record_site_count(a); i++) {
        most = a->sites[i].n > most ? a->sites[i].n : most;
        most = b->sites[i].n > most ? b->sites[i].n : most;
    }
    struct arena arena = {0};
    struct apf_value *sorted = arena_array(&arena, most, 2 * sizeof *sorted);
    struct value_share *x = arena_array(&arena, most, sizeof *x), *y = arena_array(&arena, most, sizeof *y);
    bool ready = sorted && x && y;
    for (size_t i = 0; ready && i < record_site_count(a); i++) {
        size_t n_x = list_shares(&a->sites[i], sum_a, sorted, x),
               n_y = list_shares(&b->sites[i], sum_b, sorted, y);
        sum += sum_moved_shares(x, n_x, y, n_y);
    }
    *moved = sum / 2;
    arena_free(&arena);
    return ready;
}

/* A quick test: most records have no values, and many have the same ones in both profiles. */
static bool same_values(const struct record *a, const struct record *b)
{
    for (size_t i = 0; i < record_site_count(a); i++) {
        const struct apf_site *x = &a->sites[i], *y = &b->sites[i];
        if (x->n != y->n || (x->n && memcmp(x->values, y->values, x->n * sizeof *x->values) != 0))
            return false;
    }
    return true;
}

/* ---- the record ---- */

static bool compare_both(const struct apf_diff *diff, const struct record *a, const struct record *b,
                         struct apf_diff_function *f, double *moved)
{
    *moved = sum_moved_counts(diff, a, b);
    f->changes |= *moved > 0 ? APF_DIFF_COUNTS : 0;
    if (is_pseudo(a) != is_pseudo(b) || (is_pseudo(a) && a->counts[0] != b->counts[0]))
        f->changes |= APF_DIFF_PSEUDO;
    if (a->n_bitmap != b->n_bitmap)
        f->changes |= APF_DIFF_BITMAP;
    else
        f->bits_changed = count_changed_bits(a, b);
    f->changes |= f->bits_changed ? APF_DIFF_BITS : 0;
    if (memcmp(a->n_sites, b->n_sites, sizeof a->n_sites) != 0) {
        f->changes |= APF_DIFF_SITES;
        return true;
    }
    if (same_values(a, b))
        return true;
    bool done = find_moved_values(a, b, &f->values_moved);
    f->changes |= f->values_moved > 0 ? APF_DIFF_VALUES : 0;
    return done;
}

bool diff_record(const struct apf_diff *diff, const struct record *a, const struct record *b,
                 struct apf_diff_function *f)
{
    bool done = true;
    memset(f, 0, sizeof *f);
    if (a)
        fill_side(diff, 0, a, &f->side[0]);
    if (b)
        fill_side(diff, 1, b, &f->side[1]);
    double moved = (a ? diff_sum(a) * diff->scale[0] : 0) + (b ? diff_sum(b) * diff->scale[1] : 0);
    if (!a || !b) {
        f->changes = a ? APF_DIFF_ONLY_A : APF_DIFF_ONLY_B;
    } else {
        f->changes = a->id != b->id ? APF_DIFF_NAME : 0;
        if (a->hash != b->hash)
            f->changes |= APF_DIFF_HASH;
        else if (a->n_counts != b->n_counts)
            f->changes |= APF_DIFF_COUNTERS;
        else
            done = compare_both(diff, a, b, f, &moved);
    }
    f->effect = diff->whole > 0 ? moved / diff->whole : 0;
    return done;
}
