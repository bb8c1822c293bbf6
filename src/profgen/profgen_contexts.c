/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profgen/profgen_contexts.h"

#include <anyprof/profgen.h>

#include "base/error.h"
#include "profgen/profgen_finish.h"
#include "profgen/profgen_preinline.h"
#include "sample/merge/sample_cold.h"
#include "sample/merge/sample_nest.h"
#include "sample/model/sample_summary.h"

/* Replaces a profile by another one, which has its names and takes them over. */
static void replace(struct apf_sample **s, struct apf_sample *by)
{
    (*s)->names = (struct sample_names){.hashed = false};
    sample_free(*s);
    *s = by;
}

static int cut_cold(struct apf_sample **s, struct profgen_context_counts *counts,
                    const struct profgen_context_options *o, uint64_t threshold, struct sample_losses *losses,
                    struct apf_error *error)
{
    const bool merge = o->flags & APF_PROFGEN_MERGE_COLD, trim = o->flags & APF_PROFGEN_TRIM_COLD;
    struct sample_cold cold = {threshold, o->cold_depth, merge, trim,
                               !merge && !(o->flags & APF_PROFGEN_NO_PREINLINER)};
    struct sample_cold_result result;
    struct apf_sample *cut;
    if (threshold == 0 || (!merge && !trim))
        return APF_OK;
    int code = sample_trim_cold(*s, &cold, &cut, &result, losses, error);
    if (code != APF_OK)
        return code;
    counts->cold = result.trimmed;
    counts->cold_counts = result.samples;
    replace(s, cut);
    return APF_OK;
}

int profgen_contexts_finish(struct apf_sample **s, struct profgen_context_counts *counts,
                            const struct profgen_context_options *o, const struct profgen_program *p,
                            const struct profgen_counts *c, struct apf_error *error)
{
    struct sample_losses losses = {.list = {0}};
    uint64_t threshold = o->hot_count;
    int code = APF_OK;
    if (threshold == UINT64_MAX)
        code = sample_cold_threshold(*s, SAMPLE_CUTOFF_HOT, &threshold, error);
    if (code == APF_OK && !(o->flags & APF_PROFGEN_NO_PREINLINER))
        code = profgen_preinline(*s, counts, o, p, c, error);
    if (code == APF_OK)
        code = cut_cold(s, counts, o, threshold, &losses, error);
    if (code == APF_OK && !(o->flags & APF_PROFGEN_NO_NESTING)) {
        struct apf_sample *nested;
        code = sample_nest(*s, o->flags & APF_PROFGEN_MERGED_BASE, &nested, &losses, error);
        if (code == APF_OK)
            replace(s, nested);
    }
    counts->refused = losses.functions + losses.inlined;
    counts->refused_counts = losses.samples;
    sample_losses_free(&losses);
    if (code == APF_OK)
        code = profgen_drop_ambiguous(*s, error);
    return code == APF_OK ? sample_complete(*s, error) : code;
}
