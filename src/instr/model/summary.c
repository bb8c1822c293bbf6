/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "instr/model/summary.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/sort.h"

#define MILLION 1000000u
const uint32_t summary_cutoffs[SUMMARY_CUTOFFS] = {10000,  100000, 200000, 300000, 400000, 500000,
                                                   600000, 700000, 800000, 900000, 950000, 990000,
                                                   999000, 999900, 999990, 999999};

/* Only where a row ends must the counts be known one by one; elsewhere their number and sum are enough. So counts are
 * first grouped by their leading bits, and then the counts of the few groups in which a row ends are sorted. */
#define FEW_LEADING_BITS 4u
#define MANY_LEADING_BITS 10u
#define MANY_RECORDS 4096u

struct group {
    uint64_t n;
    uint64_t sum; /* of the counts, modulo 2^64 */
};

struct builder {
    const struct summary_input *in;
    struct apf_summary sum;
    bool wraps; /* the total has passed 2^64 */
    unsigned leading_bits;
    size_t exact; /* each count below has a group of its own */
    size_t n_groups;
    struct group *groups;
    bool *ends;             /* for each group: a row ends in it */
    const uint64_t *counts; /* the counts of groups with several values in which a row ends, ascending */
    size_t n_counts;
    struct arena *scratch;
};

static bool make_groups(struct builder *b)
{
    b->leading_bits = b->in->n < MANY_RECORDS ? FEW_LEADING_BITS : MANY_LEADING_BITS;
    b->exact = (size_t)1 << b->leading_bits;
    b->n_groups = b->exact + (64 - b->leading_bits) * (b->exact / 2);
    b->groups = arena_zeros(b->scratch, b->n_groups, sizeof *b->groups);
    b->ends = arena_zeros(b->scratch, b->n_groups, sizeof *b->ends);
    return b->groups && b->ends;
}

static inline size_t find_group(const struct builder *b, uint64_t count)
{
    unsigned shift = BIT_WIDTH(count | (b->exact - 1)) - b->leading_bits;
    return shift * (b->exact / 2) + (size_t)(count >> shift);
}

/* ---- the records ---- */

static bool is_counted(const struct summary_input *in, const struct record *r)
{
    if (r->n_counts == 0 || !record_is_of(r, in->cs))
        return false;
    return r->counts[0] < PSEUDO_WARM || in->flags & SUMMARY_NO_PSEUDO;
}

/* Whether LLVM 13 to 15 skip a counter. */
static bool is_invalid(const struct summary_input *in, uint64_t count)
{
    return count == UINT64_MAX && in->flags & SUMMARY_NO_PSEUDO;
}

/* The i-th record, or NULL when it does not count. Prefetches the counts of a later record. */
static const struct record *record_at(const struct summary_input *in, size_t i)
{
    const struct record *r = in->chosen ? in->chosen[i] : &in->records[i];
    if (i + FETCH_AHEAD < in->n) {
        const struct record *ahead = in->chosen ? in->chosen[i + FETCH_AHEAD] : &in->records[i + FETCH_AHEAD];
        PREFETCH(ahead->counts);
        PREFETCH(ahead->counts + ahead->n_counts / 2);
    }
    return is_counted(in, r) ? r : NULL;
}

static void add_count(struct builder *b, uint64_t count, uint64_t *most)
{
    if (is_invalid(b->in, count))
        return;
    struct group *g = &b->groups[find_group(b, count)];
    g->n++;
    g->sum += count;
    b->wraps |= ADD_OVERFLOWS(b->sum.total_count, count, &b->sum.total_count);
    b->sum.n_counters++;
    if (*most < count)
        *most = count;
}

static void add_records(struct builder *b)
{
    for (size_t i = 0; i < b->in->n; i++) {
        const struct record *r = record_at(b->in, i);
        if (!r)
            continue;
        b->sum.n_functions++;
        add_count(b, r->counts[0], &b->sum.max_function_count);
        for (uint32_t k = 1; k < r->n_counts; k++)
            add_count(b, r->counts[k], &b->sum.max_internal_count);
    }
    b->sum.max_count = b->sum.max_function_count > b->sum.max_internal_count ? b->sum.max_function_count
                                                                             : b->sum.max_internal_count;
}

/* ---- the rows ---- */

/* floor(total * cutoff / 10^6), without the product, which may have more than 64 bits. */
static uint64_t scale_total(uint64_t total, uint64_t cutoff)
{
    return total / MILLION * cutoff + total % MILLION * cutoff / MILLION;
}

/* Finds the groups in which rows end. When sums wrap, the sum can pass the desired one and fall back within a group, so
 * that every group counts as one. */
static void find_ends(struct builder *b)
{
    size_t g = find_group(b, b->sum.max_count) + 1;
    uint64_t sum = 0;
    bool beyond = false; /* a row asks for more than the total: it ends at the smallest count */
    for (size_t i = 0; !b->wraps && i < b->in->n_cutoffs; i++) {
        uint64_t desired = scale_total(b->sum.total_count, b->in->cutoffs[i]);
        while (sum < desired && g > 0) {
            sum += b->groups[--g].sum;
            b->ends[g] = sum >= desired;
        }
        beyond |= sum < desired;
    }
    for (g = 0; beyond && g < b->n_groups; g++)
        if (b->groups[g].n) {
            b->ends[g] = true;
            break;
        }
    for (g = b->exact; g < b->n_groups; g++) {
        b->ends[g] |= b->wraps;
        b->n_counts += b->ends[g] ? b->groups[g].n : 0;
    }
}

/* Sorts the counts of the groups in which rows end. */
static bool collect_counts(struct builder *b)
{
    if (b->n_counts == 0)
        return true;
    uint64_t *counts = arena_array(b->scratch, b->n_counts, sizeof *counts);
    uint64_t *other = arena_array(b->scratch, b->n_counts, sizeof *counts);
    if (!counts || !other)
        return false;
    size_t n = 0;
    for (size_t i = 0; i < b->in->n; i++) {
        const struct record *r = record_at(b->in, i);
        for (uint32_t k = 0; r && k < r->n_counts; k++)
            if (r->counts[k] >= b->exact && b->ends[find_group(b, r->counts[k])] &&
                !is_invalid(b->in, r->counts[k]))
                counts[n++] = r->counts[k];
    }
    sort_numbers(counts, other, n);
    b->counts = counts;
    return true;
}

/* A walk over the counts from the largest down. */
struct walk {
    const struct builder *b;
    size_t group;   /* number of groups not yet entered */
    size_t left;    /* number of counts of the current group not yet passed */
    size_t sorted;  /* number of sorted counts not yet passed */
    uint64_t sum;   /* of the counts passed */
    uint64_t seen;  /* number of counts passed */
    uint64_t count; /* the last count passed */
};

/* Passes all counts of one value, or of a group in which no row ends. False: no count is left. */
static bool pass_counts(struct walk *w)
{
    const struct builder *b = w->b;
    while (w->left == 0 && w->group > 0) {
        const struct group *g = &b->groups[--w->group];
        if (w->group >= b->exact && b->ends[w->group]) {
            w->left = g->n;
            continue;
        }
        if (g->n == 0)
            continue;
        w->count = w->group; /* wrong for groups of several values, but no row ends there */
        w->sum += g->sum;
        w->seen += g->n;
        return true;
    }
    if (w->left == 0)
        return false;
    for (w->count = b->counts[w->sorted - 1]; w->left && b->counts[w->sorted - 1] == w->count; w->left--) {
        w->sorted--;
        w->sum += w->count; /* wraps like the total */
        w->seen++;
    }
    return true;
}

static void make_rows(const struct builder *b, struct apf_summary_row *rows)
{
    struct walk w = {b, find_group(b, b->sum.max_count) + 1, 0, b->n_counts, 0, 0, 0};
    for (size_t i = 0; i < b->in->n_cutoffs; i++) {
        uint64_t desired = scale_total(b->sum.total_count, b->in->cutoffs[i]);
        while (w.sum < desired && pass_counts(&w))
            continue;
        struct apf_summary_row row = {b->in->cutoffs[i], w.count, w.seen};
        rows[i] = row;
    }
}

struct apf_summary *summary_make(const struct summary_input *in, struct arena *arena, struct arena *scratch)
{
    struct summary_input asked = *in;
    if (!asked.cutoffs) {
        asked.cutoffs = summary_cutoffs;
        asked.n_cutoffs = SUMMARY_CUTOFFS;
    }
    struct builder b = {.in = &asked, .scratch = scratch};
    struct apf_summary *s = arena_alloc(arena, sizeof *s);
    struct apf_summary_row *rows = arena_array(arena, asked.n_cutoffs, sizeof *rows);
    bool ok = s && rows && make_groups(&b);
    if (ok) {
        add_records(&b);
        find_ends(&b);
        ok = collect_counts(&b);
    }
    if (ok) {
        make_rows(&b, rows);
        *s = b.sum;
        s->rows = rows;
        s->n_rows = asked.n_cutoffs;
    }
    return ok ? s : NULL;
}

/* NULL: allocation failed. */
static struct profile_summary *summarise(const struct apf_instr *instr, enum apf_summary_scope scope)
{
    static const int levels[] = {[APF_SUMMARY_ALL] = -1, [APF_SUMMARY_NOT_CS] = 0, [APF_SUMMARY_CS] = 1};
    struct summary_input in = {.records = instr->records.data, .n = instr->records.n, .cs = levels[scope]};
    struct profile_summary *made = calloc(1, sizeof *made);
    struct arena scratch = {0};
    if (made)
        made->summary = summary_make(&in, &made->arena, &scratch);
    arena_free(&scratch);
    if (made && !made->summary) {
        profile_summary_free(made);
        return NULL;
    }
    return made;
}

int apf_instr_summary(const struct apf_instr *instr, enum apf_summary_scope scope,
                      const struct apf_summary **summary, struct apf_error *error)
{
    *summary = NULL;
    if ((unsigned)scope > APF_SUMMARY_CS)
        return error_plain(error, APF_ARGUMENT, "summary.scope", "no such scope");
    _Atomic(struct profile_summary *) *kept = &instr->answers->summaries[scope];
    struct profile_summary *first = atomic_load(kept);
    if (!first) {
        struct profile_summary *made = summarise(instr, scope);
        if (!made)
            return error_memory(error);
        if (atomic_compare_exchange_strong(kept, &first, made))
            first = made;
        else
            profile_summary_free(made);
    }
    *summary = first->summary;
    return APF_OK;
}
