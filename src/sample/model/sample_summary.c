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

struct counts {
    VEC(uint64_t) list;
};

/* A line of a function without its context. */
struct plain_line {
    uint64_t at, count;
    uint32_t function; /* number of the function, or of the inlined function, in the sum without contexts */
};

/* Nodes that do not count: with APF_SAMPLE_DUPLICATED, or inlined in such a node. A caller has a smaller number. */
static uint8_t *find_duplicates(const struct apf_sample *s)
{
    uint8_t *out = calloc(s->nodes.n + 1, 1);
    for (size_t i = 0; out && i < s->nodes.n; i++) {
        const struct sample_node *f = &s->nodes.data[i];
        out[i] = f->state & SAMPLE_GONE ||
                 (f->caller != SAMPLE_NONE && (out[f->caller] || f->attributes & APF_SAMPLE_DUPLICATED));
    }
    return out;
}

static int gather(const struct apf_sample *s, struct sample_summary *summary, struct counts *counts,
                  struct apf_error *error)
{
    uint8_t *left_out = find_duplicates(s);
    size_t n = 0;
    for (size_t i = 0; left_out && i < s->nodes.n; i++)
        n += left_out[i] ? 0 : s->nodes.data[i].lines.n;
    if (!left_out || !VEC_RESERVE(&counts->list, 2 * n + 1) || !counts->list.data) {
        free(left_out);
        return error_memory(error);
    }
    for (size_t i = 0; i < s->nodes.n; i++) {
        const struct sample_node *f = &s->nodes.data[i];
        for (uint32_t k = 0; !left_out[i] && f->lines.data && k < f->lines.n; k++)
            counts->list.data[counts->list.n++] = f->lines.data[k].count;
        if (!left_out[i] && f->caller == SAMPLE_NONE && summary->max_head < f->head)
            summary->max_head = f->head;
    }
    free(left_out);
    summary->n_functions = s->top.n;
    return APF_OK;
}

/* ---- rows ---- */

static uint64_t share_of(uint64_t total, uint32_t cutoff)
{
    /* total * cutoff / MILLION without a product above 64 bits */
    return total / MILLION * cutoff + total % MILLION * cutoff / MILLION;
}

/* Fills in the rows from ascending counts. */
static void fill_rows(struct sample_summary *summary, const uint32_t *cutoffs, const uint64_t *counts,
                      size_t n)
{
    uint64_t sum = 0, last = 0, seen = 0;
    size_t left = n;
    for (size_t i = 0; i < summary->n_rows; i++) {
        uint64_t wanted = share_of(summary->total, cutoffs[i]);
        while (sum < wanted && left) {
            last = counts[left - 1];
            while (left && counts[left - 1] == last) {
                sum += last;
                seen++;
                left--;
            }
        }
        struct sample_summary_row row = {cutoffs[i], last, seen};
        summary->rows[i] = row;
    }
}

static int compute(const struct apf_sample *s, const uint32_t *cutoffs, struct sample_summary *summary,
                   struct apf_error *error)
{
    struct counts counts = {{NULL, 0, 0}};
    int code = gather(s, summary, &counts, error);
    if (code == APF_OK) {
        uint64_t *list = counts.list.data;
        size_t n = counts.list.n;
        for (size_t i = 0; i < n; i++)
            summary->total += list[i];
        sort_numbers(list, list + n, n);
        summary->n_counts = n;
        summary->max_count = n ? list[n - 1] : 0;
        fill_rows(summary, cutoffs, list, n);
    }
    VEC_FREE(&counts.list);
    return code;
}

/* Adds up functions without their contexts. */
static int without_contexts(const struct apf_sample *s, struct apf_sample **plain, struct apf_error *error)
{
    struct apf_sample *made = *plain = sample_new();
    uint32_t *map = malloc((s->names.list.n + 1) * sizeof *map);
    int code = made && map ? APF_OK : error_memory(error);
    for (size_t i = 0; code == APF_OK && i < s->names.list.n; i++)
        map[i] = (uint32_t)i;
    if (code == APF_OK)
        code = sample_add_plain(made, s, map, error);
    free(map);
    return code;
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
        return compute(s, cutoffs, summary, error);
    struct apf_sample *plain = NULL;
    int code = without_contexts(s, &plain, error);
    if (code == APF_OK)
        code = compute(plain, cutoffs, summary, error);
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
