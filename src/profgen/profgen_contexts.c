/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profgen/profgen_contexts.h"

#include <anyprof/profgen.h>

#include "base/error.h"
#include "profgen/profgen_attributes.h"
#include "profgen/profgen_finish.h"
#include "profgen/profgen_preinline.h"
#include "sample/merge/sample_cold.h"
#include "sample/merge/sample_nest.h"
#include "sample/model/sample_share.h"
#include "sample/model/sample_summary.h"

/* Replaces a profile by another one, which has its names and takes them over. */
static void replace(struct apf_sample **s, struct apf_sample *by)
{
    (*s)->names = (struct sample_names){.hashed = false};
    sample_free(*s);
    *s = by;
}

static int cut_cold(struct apf_sample **s, struct profgen_context_counts *counts, struct sample_cold cold,
                    uint64_t threshold, struct sample_losses *losses, struct apf_error *error)
{
    struct sample_cold_result result;
    struct apf_sample *cut;
    cold.threshold = threshold;
    if (threshold == 0 || (!cold.merge && !cold.trim))
        return APF_OK;
    int code = sample_trim_cold(*s, &cold, &cut, &result, losses, error);
    if (code != APF_OK)
        return code;
    counts->cold = result.trimmed;
    counts->cold_counts = result.samples;
    replace(s, cut);
    return APF_OK;
}

static int nest(struct apf_sample **s, bool merged_base, struct sample_losses *losses,
                struct apf_error *error)
{
    struct apf_sample *nested;
    int code = sample_nest(*s, merged_base, &nested, losses, error);
    if (code != APF_OK)
        return code;
    code = profgen_first_attributes(*s, nested, merged_base, error);
    if (code == APF_OK)
        replace(s, nested);
    else
        sample_share_free(nested);
    return code;
}

/* The number of an option that is one more, and 0 by default. */
static uint32_t number_of(uint32_t option, uint32_t otherwise)
{
    return option ? option - 1 : otherwise;
}

void profgen_context_options_read(struct profgen_context_options *o,
                                  const struct apf_profgen_options *options)
{
    const struct apf_profgen_inlining *limits = &options->inlining;
    *o = (struct profgen_context_options){options->flags,
                                          options->cold_depth ? options->cold_depth : 1,
                                          options->hot_count - 1,
                                          options->cold_count - 1,
                                          options->hot_cutoff ? options->hot_cutoff : SAMPLE_CUTOFF_HOT,
                                          options->cold_cutoff ? options->cold_cutoff : SAMPLE_CUTOFF_COLD,
                                          {number_of(limits->hot, 1500), number_of(limits->cold, 0),
                                           number_of(limits->growth, 12), number_of(limits->least, 100),
                                           number_of(limits->most, 50000), number_of(limits->again, 100)}};
}

static int find_threshold(const struct apf_sample *s, uint64_t given, uint32_t cutoff, uint64_t *threshold,
                          struct apf_error *error)
{
    *threshold = given;
    return given == UINT64_MAX ? sample_cold_threshold(s, cutoff, threshold, error) : APF_OK;
}

int profgen_plain_finish(struct apf_sample **s, struct profgen_context_counts *counts,
                         const struct profgen_context_options *o, struct apf_error *error)
{
    const struct sample_cold cold = {.trim = true};
    struct sample_losses losses = {.list = {0}};
    uint64_t threshold;
    if (!(o->flags & APF_PROFGEN_TRIM_COLD))
        return APF_OK;
    int code = find_threshold(*s, o->cold_count, o->cold_cutoff, &threshold, error);
    if (code == APF_OK)
        code = cut_cold(s, counts, cold, threshold, &losses, error);
    sample_losses_free(&losses);
    return code == APF_OK ? sample_complete(*s, error) : code;
}

int profgen_contexts_finish(struct apf_sample **s, struct profgen_context_counts *counts,
                            const struct profgen_context_options *o, const struct profgen_program *p,
                            const struct profgen_counts *c, struct apf_error *error)
{
    const bool merge = o->flags & APF_PROFGEN_MERGE_COLD, trim = o->flags & APF_PROFGEN_TRIM_COLD;
    const struct sample_cold cold = {0, o->cold_depth, merge, trim,
                                     !merge && !(o->flags & APF_PROFGEN_NO_PREINLINER)};
    struct sample_losses losses = {.list = {0}};
    uint64_t threshold;
    int code = find_threshold(*s, o->hot_count, o->hot_cutoff, &threshold, error);
    if (code == APF_OK && !(o->flags & APF_PROFGEN_NO_PREINLINER))
        code = profgen_preinline(*s, counts, o, p, c, error);
    if (code == APF_OK)
        code = cut_cold(s, counts, cold, threshold, &losses, error);
    if (code == APF_OK && !(o->flags & APF_PROFGEN_NO_NESTING))
        code = nest(s, o->flags & APF_PROFGEN_MERGED_BASE, &losses, error);
    counts->refused = losses.functions + losses.inlined;
    counts->refused_counts = losses.samples;
    sample_losses_free(&losses);
    if (code == APF_OK)
        code = profgen_drop_ambiguous(*s, error);
    return code == APF_OK ? sample_complete(*s, error) : code;
}
