/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "sample/views/sample_diff.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/name_meant.h"
#include "base/options.h"
#include "base/sort.h"

/* ---- one function ---- */

static bool is_wanted(const struct apf_sample_diff *diff, const struct apf_sample_diff_function *f)
{
    struct apf_str part = diff->options.function;
    for (unsigned i = 0; part.n && i < 2; i++)
        if (name_is_meant(f->side[i].name.text, part, diff->options.also, diff->options.user))
            return true;
    return part.n == 0;
}

/* Adds a function to the totals. False: an allocation failed. */
static bool add_function(struct apf_sample_diff *diff, const struct apf_sample_diff_function *f)
{
    struct apf_sample_diff_totals *t = &diff->totals;
    t->functions[0] += !(f->changes & APF_SAMPLE_DIFF_ONLY_B);
    t->functions[1] += !(f->changes & APF_SAMPLE_DIFF_ONLY_A);
    if (!f->changes) {
        t->equal++;
        return true;
    }
    t->differ++;
    t->difference += f->effect;
    for (unsigned i = 0; i < APF_SAMPLE_DIFF_CHANGES; i++) {
        bool has = f->changes >> i & 1;
        t->changes[i].n += has;
        t->changes[i].effect += has ? f->effect : 0;
    }
    for (unsigned i = 0; i < 2; i++)
        t->stale[i] += f->changes & APF_SAMPLE_DIFF_CHECKSUM ? f->side[i].share : 0;
    return VEC_PUSH(&diff->functions, *f);
}

static bool effect_before(const void *context, const void *a, const void *b)
{
    (void)context;
    return ((const struct apf_sample_diff_function *)a)->effect >
           ((const struct apf_sample_diff_function *)b)->effect;
}

/* ---- the profiles ---- */

/* Sums up the samples of a side: all, and those with a caller. */
static void sum_side(struct sample_diff_maker *m, unsigned i)
{
    struct apf_sample_diff_totals *t = &m->diff->totals;
    for (size_t f = 0; f < m->pair.names.list.n; f++) {
        struct sample_folded_list callers =
            sample_folded_list(&m->folded[i], SAMPLE_FOLDED_CALLERS, (uint32_t)f);
        for (uint32_t k = 0; k < callers.n; k++) {
            double count = (double)callers.data[k].count;
            t->samples[i] += count;
            t->inlined[i] += callers.data[k].name != SAMPLE_NONE ? count : 0;
        }
    }
    bool absolute = m->diff->options.flags & APF_SAMPLE_DIFF_ABSOLUTE, any = t->samples[i] > 0;
    t->inlined[i] = any ? t->inlined[i] / t->samples[i] : 0;
    m->scale[i] = absolute ? 1 : any ? 1 / t->samples[i] : 0;
    m->whole += absolute ? t->samples[i] : any;
}

static int fold_side(struct sample_diff_maker *m, unsigned i, struct apf_error *error)
{
    const struct sample_pair_side *side = &m->pair.side[i];
    size_t n = side->sample->names.list.n;
    uint32_t *names = malloc((n + 1) * sizeof *names);
    if (!names)
        return error_memory(error);
    for (size_t k = 0; k < n; k++)
        names[k] = m->same[side->names[k]];
    int code = sample_folded_make(&m->folded[i], side->sample, names, m->pair.names.list.n, error);
    free(names);
    return code;
}

/* Visits the functions in the order of their names. */
static bool compare_functions(struct sample_diff_maker *m)
{
    size_t n = m->pair.names.list.n;
    uint32_t *order = malloc((n + 1) * sizeof *order);
    bool ok = order != NULL;
    for (size_t i = 0; ok && i < n; i++)
        order[m->pair.name_ranks[i]] = (uint32_t)i;
    for (size_t i = 0; ok && i < n; i++) {
        struct apf_sample_diff_function f;
        if (!sample_folded_list(&m->folded[0], SAMPLE_FOLDED_CALLERS, order[i]).n &&
            !sample_folded_list(&m->folded[1], SAMPLE_FOLDED_CALLERS, order[i]).n)
            continue; /* a target only, or it has another name here */
        sample_diff_compare(m, order[i], &f);
        ok = !is_wanted(m->diff, &f) || add_function(m->diff, &f);
    }
    free(order);
    return ok && SORT_VEC(&m->diff->functions, effect_before, NULL);
}

static int compare_profiles(struct sample_diff_maker *m, const struct apf_sample *a,
                            const struct apf_sample *b, struct apf_error *error)
{
    uint32_t differ = a->info.flags ^ b->info.flags;
    m->diff->totals.lines_compared = !(differ & APF_SAMPLE_PROBES);
    m->diff->totals.callers_compared = !(differ & APF_SAMPLE_CONTEXTS);
    int code = sample_pair_make(&m->pair, a, b, error);
    if (code == APF_OK)
        code = sample_diff_names(m, error);
    for (unsigned i = 0; code == APF_OK && i < 2; i++) {
        code = fold_side(m, i, error);
        if (code == APF_OK)
            sum_side(m, i);
    }
    return code != APF_OK || compare_functions(m) ? code : error_memory(error);
}

/* Copies the names of the profiles, which the output has. */
static int copy_names(struct apf_sample_diff *diff, struct apf_error *error)
{
    for (unsigned i = 0; i < 2; i++) {
        const char *name = diff->options.names[i];
        if (name)
            diff->options.names[i] = arena_text(&diff->arena, name, strlen(name));
        if (name && !diff->options.names[i])
            return error_memory(error);
    }
    return APF_OK;
}

#define ALL_FLAGS (2 * APF_SAMPLE_DIFF_JSON - 1) /* the last one */

int apf_sample_diff_new(struct apf_sample_diff **diff, const struct apf_sample *a, const struct apf_sample *b,
                        const struct apf_sample_diff_options *options, struct apf_error *error)
{
    *diff = NULL;
    struct apf_sample_diff *made = calloc(1, sizeof *made);
    struct sample_diff_maker m = {.diff = made};
    if (!made)
        return error_memory(error);
    int code = OPTIONS_READ(apf_sample_diff_options, &made->options, options, error);
    if (code == APF_OK)
        code = flags_check(made->options.flags, ALL_FLAGS, "apf_sample_diff_options.flags", error);
    if (code == APF_OK)
        code = copy_names(made, error);
    if (code == APF_OK)
        code = compare_profiles(&m, a, b, error);
    sample_pair_free(&m.pair);
    free(m.same);
    free(m.other);
    for (unsigned i = 0; i < 2; i++)
        sample_folded_free(&m.folded[i]);
    if (code == APF_OK)
        *diff = made;
    else
        apf_sample_diff_free(made);
    return code;
}

const struct apf_sample_diff_function *apf_sample_diff_function(const struct apf_sample_diff *diff, size_t i)
{
    return i < diff->functions.n ? &diff->functions.data[i] : NULL;
}

const struct apf_sample_diff_totals *apf_sample_diff_totals(const struct apf_sample_diff *diff)
{
    return &diff->totals;
}

void apf_sample_diff_free(struct apf_sample_diff *diff)
{
    if (!diff)
        return;
    VEC_FREE(&diff->functions);
    arena_free(&diff->arena);
    free(diff);
}
