/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "sample/views/sample_overlap.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/name_meant.h"
#include "base/options.h"
#include "base/sort.h"
#include "sample/model/sample_order.h"
#include "sample/model/sample_summary.h"
#include "sample/model/sample_words.h"

/* Similarities this near to 0 or 1 are 0 or 1. */
#define EPSILON 0.000005
#define MILLION 1000000

/* ---- one function ---- */

/* How similar two functions are, with their shares of the profiles. */
static double weigh_similarity(const struct apf_sample_overlap_totals *t, double inside,
                               const uint64_t samples[2])
{
    double share[2];
    for (unsigned i = 0; i < 2; i++)
        share[i] = (double)samples[i] / (double)t->samples[i];
    return inside * (1 - fabs(share[0] - share[1]));
}

static void add_similarity(struct apf_sample_overlap_totals *t, double similarity, const uint64_t samples[2])
{
    double half[2];
    for (unsigned i = 0; i < 2; i++)
        half[i] = (double)samples[i] / (double)t->samples[i] / 2.0;
    t->similarity += similarity * (half[0] + half[1]);
}

static bool is_selected(const struct sample_overlap_maker *m, uint64_t most, bool matched, double similarity,
                        struct apf_str name)
{
    const struct apf_sample_overlap_options *o = &m->overlap->options;
    return most >= o->value_cutoff ||
           (matched && similarity < (double)o->similarity_cutoff / (double)MILLION) ||
           (matched && name_is_meant(name, o->function, o->also, o->user));
}

static double share_of(uint64_t part, uint64_t whole)
{
    return whole ? (double)part / (double)whole : 0;
}

/* Lists a function. False: an allocation failed. */
static bool list_function(struct sample_overlap_maker *m, const struct sample_overlap_match *match,
                          double similarity, struct apf_str name)
{
    struct apf_sample_overlap *o = m->overlap;
    struct apf_sample_overlap_function f = {.name = {arena_text(&o->arena, name.p, name.n), name.n}};
    if (!f.name.p)
        return false;
    f.similarity = similarity;
    f.overlap = share_of(match->both, match->either);
    for (unsigned i = 0; i < 2; i++) {
        f.weight[i] = (double)match->samples[i] / (double)o->totals.samples[i];
        f.unique[i] = share_of(match->unique[i], match->samples[i]);
        f.samples[i] = match->samples[i];
    }
    return VEC_PUSH(&o->functions, f);
}

/* Compares a function of both profiles, or adds one that only one of them has (SAMPLE_NONE: none). */
static bool add_function(struct sample_overlap_maker *m, const uint32_t nodes[2],
                         struct sample_overlap_match *match, double *similarity)
{
    struct apf_sample_overlap_totals *t = &m->overlap->totals;
    *similarity = 0;
    for (unsigned i = 0; i < 2; i++)
        if (nodes[i] != SAMPLE_NONE)
            match->samples[i] = m->stats[i][nodes[i]].sum;
    if (nodes[0] != SAMPLE_NONE && nodes[1] != SAMPLE_NONE) {
        if (!sample_overlap_match(m, nodes, match))
            return false;
        double inside = fabs(match->similarity) < EPSILON ? 0 : match->similarity;
        *similarity = weigh_similarity(t, inside, match->samples);
        add_similarity(t, *similarity, match->samples);
        t->functions.both++;
        m->both += match->both;
        m->either += match->either;
    } else {
        unsigned side = nodes[0] == SAMPLE_NONE;
        match->unique[side] = match->samples[side];
        sample_overlap_hot(t, match->samples, m->stats[side][nodes[side]].n_hot);
        t->functions.base += side == 0;
        t->functions.test += side == 1;
        m->either += match->samples[side];
    }
    for (unsigned i = 0; i < 2; i++)
        t->unique[i] += match->unique[i];
    return true;
}

static void count_hot_function(struct sample_overlap_maker *m, const uint32_t nodes[2])
{
    struct apf_sample_common *hot = &m->overlap->totals.hot_functions;
    bool is_hot[2];
    for (unsigned i = 0; i < 2; i++)
        is_hot[i] = nodes[i] != SAMPLE_NONE && m->stats[i][nodes[i]].most >= m->overlap->totals.hot_count[i];
    hot->both += is_hot[0] && is_hot[1];
    hot->base += is_hot[0] && !is_hot[1];
    hot->test += !is_hot[0] && is_hot[1];
}

/* ---- all functions ---- */

static bool compare_context(struct sample_overlap_maker *m, uint32_t context,
                            struct sample_context_text *text)
{
    const uint32_t nodes[2] = {m->pair.side[0].tops[context], m->pair.side[1].tops[context]};
    struct sample_overlap_match match = {{0, 0}, {0, 0}, 0, 0, 0};
    double similarity;
    if (nodes[0] == SAMPLE_NONE && nodes[1] == SAMPLE_NONE)
        return true; /* a part of longer contexts only */
    count_hot_function(m, nodes);
    if (!add_function(m, nodes, &match, &similarity))
        return false;
    if (nodes[1] == SAMPLE_NONE)
        return true;
    const struct apf_str name = sample_context_text(text, &m->pair.contexts, &m->pair.names, context);
    if (!name.p)
        return false;
    bool selected = is_selected(m, m->stats[1][nodes[1]].most, nodes[0] != SAMPLE_NONE, similarity, name);
    return !selected || list_function(m, &match, similarity, name);
}

static bool weight_before(const void *context, const void *a, const void *b)
{
    (void)context;
    return ((const struct apf_sample_overlap_function *)a)->weight[0] >
           ((const struct apf_sample_overlap_function *)b)->weight[0];
}

/* Visits the contexts of both profiles in their order, so that sums of floating point numbers depend on nothing else.
 */
static bool compare_all(struct sample_overlap_maker *m)
{
    struct apf_sample_overlap_totals *t = &m->overlap->totals;
    struct sample_context_text text = {{NULL, 0, 0}, {NULL, 0, 0}};
    size_t n = m->pair.contexts.list.n;
    uint32_t *order = malloc((n + 1) * sizeof *order);
    bool ok = order != NULL;
    for (size_t i = 0; ok && i < n; i++)
        order[m->pair.context_ranks[i]] = (uint32_t)i;
    for (size_t i = 0; ok && i < n; i++)
        ok = compare_context(m, order[i], &text);
    t->similarity = fabs(t->similarity - 1) < EPSILON ? 1 : t->similarity;
    t->overlap = (double)m->both / (double)m->either;
    sample_context_text_free(&text);
    free(order);
    return ok && SORT_VEC(&m->overlap->functions, weight_before, NULL);
}

/* ---- the profiles ---- */

static int find_threshold(const struct apf_sample *s, uint64_t *threshold, struct apf_error *error)
{
    struct arena arena = {0};
    struct sample_summary summary;
    int code = sample_summary_of(s, &arena, &summary, error);
    const struct sample_summary_row *row =
        code == APF_OK ? sample_summary_row(&summary, SAMPLE_CUTOFF_HOT) : NULL;
    *threshold = row ? row->min_count : 0;
    arena_free(&arena);
    return code;
}

static int compare_profiles(struct sample_overlap_maker *m, const struct apf_sample *base,
                            const struct apf_sample *test, struct apf_error *error)
{
    struct apf_sample_overlap_totals *t = &m->overlap->totals;
    const struct apf_sample *samples[2] = {base, test};
    int code = APF_OK;
    for (unsigned i = 0; code == APF_OK && i < 2; i++) {
        code = find_threshold(samples[i], &t->hot_count[i], error);
        if (code == APF_OK)
            m->stats[i] = sample_stats_make(samples[i], t->hot_count[i]);
        if (code == APF_OK && !m->stats[i])
            code = error_memory(error);
        for (size_t k = 0; code == APF_OK && k < samples[i]->top.n; k++)
            t->samples[i] += m->stats[i][samples[i]->top.data[k]].sum;
    }
    if (code != APF_OK || !t->samples[0] || !t->samples[1])
        return code;
    code = sample_pair_make(&m->pair, base, test, error);
    return code != APF_OK || compare_all(m) ? code : error_memory(error);
}

static int check_kinds(const struct apf_sample *base, const struct apf_sample *test, struct apf_error *error)
{
    uint32_t differ = base->info.flags ^ test->info.flags;
    if (differ & APF_SAMPLE_PROBES)
        error_set_words(error, APF_SAMPLE_PROBE_CONFLICT, "sample.overlap",
                        "cannot compare probe-based profile with non-probe-based profile");
    else if (differ & APF_SAMPLE_CONTEXTS)
        error_set_words(error, APF_SAMPLE_CONTEXT_CONFLICT, "sample.overlap",
                        "cannot compare CS profile with non-CS profile");
    return differ & APF_SAMPLE_PROBES     ? APF_SAMPLE_PROBE_CONFLICT
           : differ & APF_SAMPLE_CONTEXTS ? APF_SAMPLE_CONTEXT_CONFLICT
                                          : APF_OK;
}

/* Copies the names of the profiles, which the text has. */
static int copy_names(struct apf_sample_overlap *o, struct apf_error *error)
{
    for (unsigned i = 0; i < 2; i++) {
        const char *name = o->options.names[i] ? o->options.names[i] : "<profile>";
        o->options.names[i] = arena_text(&o->arena, name, strlen(name));
        if (!o->options.names[i])
            return error_memory(error);
    }
    return APF_OK;
}

int apf_sample_overlap_new(struct apf_sample_overlap **overlap, const struct apf_sample *base,
                           const struct apf_sample *test, const struct apf_sample_overlap_options *options,
                           struct apf_error *error)
{
    *overlap = NULL;
    struct apf_sample_overlap *made = calloc(1, sizeof *made);
    struct sample_overlap_maker m = {.overlap = made};
    if (!made)
        return error_memory(error);
    int code = OPTIONS_READ(apf_sample_overlap_options, &made->options, options, error);
    if (code == APF_OK)
        code = check_kinds(base, test, error);
    if (code == APF_OK)
        code = copy_names(made, error);
    if (code == APF_OK)
        code = compare_profiles(&m, base, test, error);
    sample_pair_free(&m.pair);
    free(m.stats[0]);
    free(m.stats[1]);
    VEC_FREE(&m.stack);
    if (code == APF_OK)
        *overlap = made;
    else
        apf_sample_overlap_free(made);
    return code;
}

const struct apf_sample_overlap_totals *apf_sample_overlap_totals(const struct apf_sample_overlap *overlap)
{
    return &overlap->totals;
}

const struct apf_sample_overlap_function *
apf_sample_overlap_function(const struct apf_sample_overlap *overlap, size_t i)
{
    return i < overlap->functions.n ? &overlap->functions.data[i] : NULL;
}

void apf_sample_overlap_free(struct apf_sample_overlap *overlap)
{
    if (!overlap)
        return;
    VEC_FREE(&overlap->functions);
    arena_free(&overlap->arena);
    free(overlap);
}
