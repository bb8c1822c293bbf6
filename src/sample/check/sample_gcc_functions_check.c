/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What releases of GCC make of the functions of a profile. */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/hash_index.h"
#include "base/search.h"
#include "base/sort.h"
#include "base/text_bytes.h"
#include "sample/check/sample_gcc_check.h"
#include "sample/gcc/gcc_names.h"

/* ---- the summary ---- */

/* All counts, ascending; NULL: allocation failed. The caller frees them. */
static uint64_t *sort_counts(const struct apf_sample *s, size_t *n, bool *exact)
{
    *n = 0;
    *exact = true;
    for (size_t i = 0; i < s->nodes.n; i++) {
        *exact = *exact && !(s->nodes.data[i].state & (SAMPLE_GONE | SAMPLE_JOINED_LINES));
        *n += s->nodes.data[i].lines.n;
    }
    uint64_t *counts = malloc((2 * *n + 1) * sizeof *counts);
    size_t at = 0;
    for (size_t i = 0; counts && i < s->nodes.n; i++)
        for (uint32_t k = 0; k < s->nodes.data[i].lines.n; k++)
            counts[at++] = s->nodes.data[i].lines.data[k].count;
    if (counts)
        sort_numbers(counts, counts + *n, *n);
    return counts;
}

/* create_gcov stops within counts of equal size, and LLVM takes all of these: either number is right. */
static void allow_rows(struct sample_summary *right, const struct sample_summary *stored,
                       const uint64_t *counts, size_t n)
{
    for (size_t i = 0; i < right->n_rows; i++) {
        struct sample_summary_row *row = &right->rows[i];
        uint64_t found = stored->rows[i].n_counts;
        size_t above;
        SEARCH(above, 0, n, counts[above] <= row->min_count);
        if (found < row->n_counts && found > n - above)
            row->n_counts = found;
    }
}

static uint64_t *find_offsets(const struct sample_gcc_checker *g)
{
    uint64_t *offsets = malloc((5 + 3 * g->summary.n_rows) * sizeof *offsets), at = g->summary_at + 48;
    for (size_t i = 0; offsets && i < 5; i++)
        offsets[i] = g->summary_at + 8 * i;
    for (size_t i = 0; offsets && i < g->summary.n_rows; i++, at += GCC_ROW_BYTES) {
        offsets[5 + 3 * i] = at;
        offsets[6 + 3 * i] = at + 4;
        offsets[7 + 3 * i] = at + 12;
    }
    return offsets;
}

void sample_gcc_check_summary(struct sample_gcc_checker *g)
{
    struct sample_checker *k = g->k;
    const struct sample_summary *stored = &g->summary;
    struct sample_summary right;
    struct arena arena = {0};
    size_t n;
    bool exact;
    uint64_t *offsets = find_offsets(g), *counts = sort_counts(k->s, &n, &exact);
    uint32_t *cutoffs = malloc((stored->n_rows + 1) * sizeof *cutoffs);
    if (!offsets || !counts || !cutoffs) {
        check_memory(k->c);
    } else {
        size_t n_rows = sample_check_cutoffs(k, stored, offsets, cutoffs) && exact ? stored->n_rows : 0;
        if (sample_summary_compute(k->s, cutoffs, n_rows, &arena, &right, NULL) != APF_OK)
            check_memory(k->c);
        else
            allow_rows(&right, stored, counts, n);
        if (!exact) { /* several counts of a place were added up */
            right.max_count = stored->max_count;
            right.n_counts = stored->n_counts;
        }
        if (k->c->code == APF_OK)
            sample_check_summary(k, stored, &right, offsets);
    }
    free(offsets);
    free(counts);
    free(cutoffs);
    arena_free(&arena);
}

/* ---- names as GCC knows them ---- */

static struct apf_str stem_of(const struct sample_gcc_checker *g, uint32_t node)
{
    const struct apf_sample *s = g->k->s;
    struct apf_str name = sample_names_text(&s->names, s->nodes.data[node].name);
    return gcc_name_stem(name, g->release->suffixes);
}

static bool same_file(const struct sample_gcc_checker *g, uint32_t a, uint32_t b)
{
    const struct sample_name *list = g->k->s->names.list.data;
    return list[g->k->s->nodes.data[a].name].file == list[g->k->s->nodes.data[b].name].file;
}

/* Finds functions whose names become equal without the suffixes that GCC cuts off: of these it uses one. */
static void check_stems(struct sample_gcc_checker *g)
{
    struct sample_checker *k = g->k;
    const struct apf_sample *s = k->s;
    struct hash_index seen = {0};
    uint64_t n_cut = 0;
    uint32_t first = SAMPLE_NONE;
    if (!hash_index_reserve(&seen, s->top.n + 1))
        check_memory(k->c);
    for (size_t i = 0; i < s->top.n && k->c->code == APF_OK; i++) {
        uint32_t node = s->top.data[i], other;
        struct apf_str stem = stem_of(g, node);
        uint64_t hash = hash_index_bytes(&seen, stem.p, stem.n);
        bool cut = stem.n < s->names.list.data[s->nodes.data[node].name].n;
        HASH_INDEX_FIND(other, &seen, hash, text_equal(stem_of(g, other), stem) && same_file(g, node, other));
        if (other == HASH_INDEX_NONE) {
            hash_index_add(&seen, hash, node);
            n_cut += cut;
            first = cut && first == SAMPLE_NONE ? node : first;
            continue;
        }
        sample_check_node(k, node);
        check_place(
            k->c, APF_SEVERITY_WARNING, APF_INCONSISTENT, "sample.gcc.function.name.equal",
            sample_check_offset(k, node),
            "another function has this name without the suffix, which GCC cuts off: it uses one of them");
        check_no_function(k->c);
    }
    hash_index_free(&seen);
    if (!n_cut || k->c->code != APF_OK)
        return;
    sample_check_node(k, first);
    sample_check_times(k, APF_SEVERITY_NOTE,
                       check_spot("sample.gcc.function.name.suffix", sample_check_offset(k, first), n_cut, 0),
                       n_cut, "a name with a suffix that GCC cuts off");
    check_no_function(k->c);
}

/* ---- places and counts ---- */

/* Whether a line has several counts, which differ by discriminator. */
static bool has_split_line(const struct sample_node *f)
{
    for (uint32_t i = 1; i < f->lines.n; i++)
        if (sample_place_line(f->lines.data[i].at) == sample_place_line(f->lines.data[i - 1].at))
            return true;
    return false;
}

static bool has_negative(const struct sample_node *f, uint64_t *count)
{
    for (uint32_t i = 0; i < f->lines.n; i++)
        if (f->lines.data[i].count > INT64_MAX) {
            *count = f->lines.data[i].count;
            return true;
        }
    return false;
}

static bool has_far_line(const struct sample_node *f, uint32_t *line)
{
    *line = f->lines.n ? sample_place_line(f->lines.data[f->lines.n - 1].at) : 0;
    return *line > INT16_MAX;
}

/* Notes and warnings of which the first one is reported, with its number. */
enum odd { ODD_SPLIT, ODD_CALL, ODD_NEGATIVE, ODD_FAR, ODD_FILE, N_ODD };
struct odd_row {
    const char *where, *detail;
    uint64_t n, found, expected;
    uint32_t node;
};

static void count_odd(struct odd_row *row, uint32_t node, uint64_t found, uint64_t expected)
{
    if (row->n++)
        return;
    row->node = node;
    row->found = found;
    row->expected = expected;
}

static void check_node(const struct sample_gcc_checker *g, struct odd_row *rows, uint32_t node)
{
    const struct apf_sample *s = g->k->s;
    const struct sample_node *f = &s->nodes.data[node];
    uint64_t count;
    uint32_t line, file = s->names.list.data[f->name].file;
    if (g->some_plain && has_split_line(f))
        count_odd(&rows[ODD_SPLIT], node, 0, 0);
    if (g->some_plain && f->caller != SAMPLE_NONE && sample_place_discriminator(f->at))
        count_odd(&rows[ODD_CALL], node, sample_place_discriminator(f->at), 0);
    if (has_negative(f, &count))
        count_odd(&rows[ODD_NEGATIVE], node, count, INT64_MAX);
    if (has_far_line(f, &line))
        count_odd(&rows[ODD_FAR], node, line, INT16_MAX);
    if (f->caller == SAMPLE_NONE && file != SAMPLE_NONE && s->names.files.list.data[file].n == 0)
        count_odd(&rows[ODD_FILE], node, 0, 0);
}

void sample_gcc_check_functions(struct sample_gcc_checker *g)
{
    struct sample_checker *k = g->k;
    uint32_t plain = g->all_plain ? APF_SEVERITY_WARNING : APF_SEVERITY_NOTE;
    const uint32_t severities[N_ODD] = {plain, plain, APF_SEVERITY_WARNING, APF_SEVERITY_NOTE,
                                        APF_SEVERITY_WARNING};
    struct odd_row rows[N_ODD] = {
        {.where = "sample.gcc.function.lines.discriminators",
         .detail = "a line has counts of several discriminators: GCC up to 12 uses the last one only"},
        {.where = "sample.gcc.function.calls.discriminator",
         .detail = "inlined at a place with a discriminator, which GCC up to 12 never finds"},
        {.where = "sample.gcc.function.lines.count",
         .detail = "a count that GCC takes for a negative number"},
        {.where = "sample.gcc.function.lines.place",
         .detail = "a line before the declaration of its function, or far after it"},
        {.where = "sample.gcc.names.file",
         .detail = "an empty name of a source file, for which GCC drops the counts of blocks"},
    };
    for (size_t i = 0; i < k->s->nodes.n; i++)
        if (!(k->s->nodes.data[i].state & SAMPLE_GONE))
            check_node(g, rows, (uint32_t)i);
    for (unsigned i = 0; i < N_ODD && k->c->code == APF_OK; i++) {
        if (!rows[i].n)
            continue;
        struct error_at at = {rows[i].where, sample_check_offset(k, rows[i].node), rows[i].found,
                              rows[i].expected};
        sample_check_node(k, rows[i].node);
        sample_check_times(k, severities[i], at, rows[i].n, rows[i].detail);
        check_no_function(k->c);
    }
    if (g->release && k->c->code == APF_OK)
        check_stems(g);
}
