/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "instr/summary.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/sort.h"

#define MILLION 1000000u
/* Most counts of most profiles are below this; they are counted in a table, the others are sorted. */
#define SMALL_COUNTS ((uint64_t)1 << 15)

const uint32_t summary_cutoffs[SUMMARY_CUTOFFS] = {10000,  100000, 200000, 300000, 400000, 500000,
                                                   600000, 700000, 800000, 900000, 950000, 990000,
                                                   999000, 999900, 999990, 999999};

void summary_init(struct summary_builder *b, int cs, uint32_t flags)
{
    memset(b, 0, sizeof *b);
    b->cs = cs;
    b->flags = flags;
}

void summary_free(struct summary_builder *b)
{
    free(b->small);
    b->small = NULL;
    VEC_FREE(&b->large);
}

/* There must be room. */
static void add_count(struct summary_builder *b, uint64_t count, uint64_t *most)
{
    if (count == UINT64_MAX && b->flags & SUMMARY_NO_PSEUDO)
        return;
    b->sum.total_count += count; /* wraps */
    b->sum.n_counters++;
    if (*most < count)
        *most = count;
    if (count < SMALL_COUNTS)
        b->small[count]++;
    else
        b->large.data[b->large.n++] = count;
}

bool summary_add(struct summary_builder *b, const struct record *r)
{
    if (r->n_counts == 0 || (b->cs >= 0 && ((r->hash & APF_HASH_CS) != 0) != (b->cs != 0)))
        return true;
    if (r->counts[0] >= PSEUDO_WARM && !(b->flags & SUMMARY_NO_PSEUDO))
        return true;
    if (!b->small && !(b->small = calloc(SMALL_COUNTS, sizeof *b->small)))
        return false;
    if (!VEC_RESERVE(&b->large, r->n_counts))
        return false;
    b->sum.n_functions++;
    add_count(b, r->counts[0], &b->sum.max_function_count);
    for (uint32_t i = 1; i < r->n_counts; i++)
        add_count(b, r->counts[i], &b->sum.max_internal_count);
    return true;
}

/* ---- the counts in order ---- */

/* Walks the distinct counts from the largest down. */
struct walk {
    const struct summary_builder *b;
    size_t large; /* counts not yet passed */
    uint64_t small;
};

static bool next_count(struct walk *w, uint64_t *count, uint64_t *times)
{
    if (w->large) {
        *count = w->b->large.data[w->large - 1];
        for (*times = 0; w->large && w->b->large.data[w->large - 1] == *count; w->large--)
            ++*times;
        return true;
    }
    while (w->b->small && w->small) {
        *count = --w->small;
        *times = w->b->small[*count];
        if (*times)
            return true;
    }
    return false;
}

/* floor(total * cutoff / 10^6), whose product may have more than 64 bits */
static uint64_t part_of(uint64_t total, uint64_t cutoff)
{
    return total / MILLION * cutoff + total % MILLION * cutoff / MILLION;
}

static void make_rows(const struct summary_builder *b, const uint32_t *cutoffs, size_t n,
                      struct apf_summary_row *rows)
{
    struct walk walk = {b, b->large.n, SMALL_COUNTS};
    uint64_t sum = 0, seen = 0, count = 0, times = 0, next;
    for (size_t i = 0; i < n; i++) {
        uint64_t desired = part_of(b->sum.total_count, cutoffs[i]);
        while (sum < desired && next_count(&walk, &next, &times)) {
            count = next;
            sum += count * times; /* wraps, as the total does */
            seen += times;
        }
        struct apf_summary_row row = {cutoffs[i], count, seen};
        rows[i] = row;
    }
}

struct apf_summary *summary_finish(struct summary_builder *b, const uint32_t *cutoffs, size_t n_cutoffs,
                                   struct arena *arena)
{
    if (!cutoffs) {
        cutoffs = summary_cutoffs;
        n_cutoffs = SUMMARY_CUTOFFS;
    }
    struct apf_summary *s = arena_alloc(arena, sizeof *s);
    struct apf_summary_row *rows = arena_array(arena, n_cutoffs, sizeof *rows);
    uint64_t *scratch = malloc(b->large.n * sizeof *scratch + 1); /* as large.data, so it cannot wrap */
    if (s && rows && scratch) {
        sort_numbers(b->large.data, scratch, b->large.n);
        make_rows(b, cutoffs, n_cutoffs, rows);
        *s = b->sum;
        s->rows = rows;
        s->n_rows = n_cutoffs;
        s->max_count =
            s->max_function_count > s->max_internal_count ? s->max_function_count : s->max_internal_count;
    }
    free(scratch);
    return s && rows && scratch ? s : NULL;
}

int apf_instr_summary(struct apf_instr *instr, int cs, const struct apf_summary **summary,
                      struct apf_error *error)
{
    struct apf_summary **kept = &instr->summaries[cs < 0 ? 2 : cs != 0];
    if (!*kept) {
        struct summary_builder b;
        bool ok = true;
        summary_init(&b, cs, 0);
        for (size_t i = 0; ok && i < instr->records.n; i++)
            ok = summary_add(&b, &instr->records.data[i]);
        if (ok)
            *kept = summary_finish(&b, NULL, 0, &instr->arena);
        summary_free(&b);
    }
    *summary = *kept;
    return *kept ? APF_OK : error_memory(error);
}
