/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What a sample profile says about the functions of an instrumentation profile: see anyprof/supplement.h. */
#include <anyprof/sample_views.h>

#include <stdlib.h>

#include "base/error.h"
#include "sample/model/sample_summary.h"

/* What the caller gets is the first member. */
struct made {
    struct apf_supplement given;
    struct apf_supplement_function *functions;
};

static void free_made(struct made *made)
{
    if (!made)
        return;
    free(made->functions);
    free(made);
}

static uint64_t hottest_line(const struct sample_node *f)
{
    uint64_t most = 0;
    for (uint32_t i = 0; i < f->lines.n; i++)
        most = most < f->lines.data[i].count ? f->lines.data[i].count : most;
    return most;
}

/* Appends a function at the top level and what is inlined in it. In profiles with contexts, which count the entries of
 * functions, the head is more exact than the estimate. */
static int add_tree(struct made *made, struct sample_walk *walk, const uint64_t *estimates,
                    struct apf_error *error)
{
    const struct apf_sample *s = walk->s;
    bool heads = s->info.flags & APF_SAMPLE_CONTEXTS, more = true;
    int code = APF_OK;
    while (code == APF_OK && more) {
        const struct sample_node *f = &s->nodes.data[walk->node];
        struct apf_supplement_function *to = &made->functions[made->given.n_functions++];
        to->hash = sample_names_hash(&s->names, f->name);
        to->entries = heads && f->head ? f->head : estimates[walk->node];
        to->hottest = hottest_line(f);
        to->depth = walk->depth;
        code = sample_walk_next(walk, &more, error);
    }
    return code;
}

static int add_functions(struct made *made, const struct apf_sample *s, struct apf_error *error)
{
    struct sample_walk walk = {0};
    uint64_t *estimates = NULL;
    int code = sample_entry_estimates(s, &estimates, error);
    for (size_t i = 0; code == APF_OK && i < s->top.n; i++) {
        sample_walk_begin(&walk, s, s->top.data[i]);
        code = add_tree(made, &walk, estimates, error);
    }
    sample_walk_free(&walk);
    free(estimates);
    return code;
}

/* The counts from which on lines are hot, and not cold: by the summary in the file, as in LLVM. LLVM's tool aborts if
 * that lacks a row; here the lines decide then. */
static int find_thresholds(struct apf_supplement *to, const struct apf_sample *s, struct apf_error *error)
{
    struct arena arena = {0};
    struct sample_summary summary;
    int code = sample_summary_of(s, &arena, &summary, error);
    if (code == APF_OK && !sample_summary_row(&summary, SAMPLE_CUTOFF_COLD))
        code = sample_summary_compute(s, sample_cutoffs, SAMPLE_N_CUTOFFS, &arena, &summary, error);
    if (code == APF_OK) {
        to->hot_count = sample_summary_row(&summary, SAMPLE_CUTOFF_HOT)->min_count;
        to->cold_count = sample_summary_row(&summary, SAMPLE_CUTOFF_COLD)->min_count;
    }
    arena_free(&arena);
    return code;
}

/* Whether a function at the top level, or a caller in a context, has a unique name. Of hashes the file says it. */
static bool has_unique_names(const struct apf_sample *s)
{
    for (size_t i = 0; i < s->contexts.list.n; i++) {
        struct apf_str name = sample_names_text(&s->names, s->contexts.list.data[i].name);
        if (name.p ? sample_name_is_unique(name) : s->info.flags & APF_SAMPLE_UNIQUE)
            return true;
    }
    return false;
}

int apf_sample_supplement_new(struct apf_supplement **supplement, const struct apf_sample *s,
                              struct apf_error *error)
{
    struct made *made = calloc(1, sizeof *made);
    *supplement = NULL;
    if (made)
        made->functions = calloc(s->nodes.n + 1, sizeof *made->functions);
    int code = made && made->functions ? APF_OK : error_memory(error);
    if (code == APF_OK)
        code = add_functions(made, s, error);
    if (code == APF_OK)
        code = find_thresholds(&made->given, s, error);
    if (code != APF_OK) {
        free_made(made);
        return code;
    }
    made->given.size = sizeof made->given;
    made->given.functions = made->functions;
    made->given.unique_names = has_unique_names(s);
    *supplement = &made->given;
    return APF_OK;
}

void apf_sample_supplement_free(struct apf_supplement *supplement)
{
    free_made((struct made *)supplement);
}
