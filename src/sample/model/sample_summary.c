/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "sample/model/sample_summary.h"

#include <stdlib.h>

#include "base/error.h"
#include "base/sort.h"

#define MILLION 1000000u

const uint32_t sample_cutoffs[SAMPLE_N_CUTOFFS] = {10000,  100000, 200000, 300000, 400000, 500000,
                                                   600000, 700000, 800000, 900000, 950000, 990000,
                                                   999000, 999900, 999990, 999999};

/* ---- the counts of all lines ---- */

#define SMALL_COUNTS ((size_t)1 << 16)

/* Most counts are small: how often there is each of these needs less memory and time than a list that is sorted. */
struct counts {
    uint64_t *small;     /* number of lines with each count below SMALL_COUNTS */
    size_t below;        /* next_count has not returned any of those below this one */
    VEC(uint64_t) large; /* the others, ascending when next_count is called */
};

/* Moves to the next smaller count, which *n lines have; false: there is none. */
static bool next_count(struct counts *c, uint64_t *count, uint64_t *n)
{
    if (c->large.n) {
        *count = c->large.data[c->large.n - 1];
        for (*n = 0; c->large.n && c->large.data[c->large.n - 1] == *count; ++*n)
            c->large.n--;
        return true;
    }
    while (c->below && !c->small[c->below - 1])
        c->below--;
    if (!c->below)
        return false;
    *count = --c->below;
    *n = c->small[*count];
    return true;
}

static bool add_count(struct sample_summary *summary, struct counts *counts, uint64_t count)
{
    summary->total += count;
    summary->n_counts++;
    summary->max_count = summary->max_count < count ? count : summary->max_count;
    if (UNLIKELY(count >= SMALL_COUNTS))
        return VEC_PUSH(&counts->large, count);
    counts->small[count]++;
    return true;
}

static int gather_counts(const struct apf_sample *s, struct sample_summary *summary, struct counts *counts,
                         struct apf_error *error)
{
    uint8_t *left_out = sample_find_duplicates(s);
    bool ok = left_out != NULL;
    for (size_t i = 0; ok && i < s->nodes.n; i++) {
        const struct sample_node *f = &s->nodes.data[i];
        if (left_out[i])
            continue;
        for (uint32_t k = 0; ok && k < f->lines.n; k++)
            ok = add_count(summary, counts, f->lines.data[k].count);
        if (f->caller == SAMPLE_NONE && summary->max_head < f->head)
            summary->max_head = f->head;
    }
    free(left_out);
    summary->n_functions = s->top.n;
    if (!ok || !VEC_RESERVE(&counts->large, counts->large.n)) /* for sorting */
        return error_memory(error);
    sort_numbers(counts->large.data, ENTRY_AT(counts->large.data, counts->large.n), counts->large.n);
    return APF_OK;
}

/* ---- rows ---- */

static uint64_t share_of(uint64_t total, uint32_t cutoff)
{
    /* total * cutoff / MILLION without a product above 64 bits */
    return total / MILLION * cutoff + total % MILLION * cutoff / MILLION;
}

static void fill_rows(struct sample_summary *summary, const uint32_t *cutoffs, struct counts *counts)
{
    uint64_t sum = 0, count = 0, seen = 0, n;
    for (size_t i = 0; i < summary->n_rows; i++) {
        uint64_t wanted = share_of(summary->total, cutoffs[i]);
        while (sum < wanted && next_count(counts, &count, &n)) {
            sum += count * n;
            seen += n;
        }
        struct sample_summary_row row = {cutoffs[i], count, seen};
        summary->rows[i] = row;
    }
}

static int compute_rows(const struct apf_sample *s, const uint32_t *cutoffs, struct sample_summary *summary,
                        struct apf_error *error)
{
    struct counts counts = {calloc(SMALL_COUNTS, sizeof *counts.small), SMALL_COUNTS, {NULL, 0, 0}};
    int code = counts.small ? gather_counts(s, summary, &counts, error) : error_memory(error);
    if (code == APF_OK)
        fill_rows(summary, cutoffs, &counts);
    free(counts.small);
    VEC_FREE(&counts.large);
    return code;
}

/* Adds up functions without their contexts. */
static int without_contexts(const struct apf_sample *s, struct apf_sample **plain, struct apf_error *error)
{
    *plain = sample_new();
    return *plain ? sample_add_plain(*plain, s, true, error) : error_memory(error);
}

int sample_summary_compute(const struct apf_sample *s, const uint32_t *cutoffs, size_t n, struct arena *arena,
                           struct sample_summary *summary, struct apf_error *error)
{
    static const struct sample_summary empty;
    *summary = empty;
    summary->rows = arena_array(arena, n, sizeof *summary->rows);
    summary->n_rows = n;
    if (!summary->rows)
        return error_memory(error);
    if (!(s->info.flags & APF_SAMPLE_CONTEXTS))
        return compute_rows(s, cutoffs, summary, error);
    struct apf_sample *plain = NULL;
    int code = without_contexts(s, &plain, error);
    if (code == APF_OK)
        code = compute_rows(plain, cutoffs, summary, error);
    sample_free(plain);
    return code;
}

int sample_summary_of(const struct apf_sample *s, struct arena *arena, struct sample_summary *summary,
                      struct apf_error *error)
{
    if (!s->stored)
        return sample_summary_compute(s, sample_cutoffs, SAMPLE_N_CUTOFFS, arena, summary, error);
    *summary = *s->stored;
    return APF_OK;
}

const struct sample_summary_row *sample_summary_row(const struct sample_summary *summary, uint64_t cutoff)
{
    for (size_t i = 0; i < summary->n_rows; i++)
        if (summary->rows[i].cutoff >= cutoff)
            return &summary->rows[i];
    return NULL;
}
