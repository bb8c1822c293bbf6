/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Reports of profiles of BOLT, and of programs with probes. */
#include "report/report_sources.h"

#include <stdlib.h>

#include "base/error.h"

static int collect_sources(struct apf_report *r, const struct report_sources *s, struct apf_error *error)
{
    return r->family == REPORT_BOLT ? report_read_bolt(r, s, error)
                                    : report_read_probes(r, s->inputs, s->n, s->common, error);
}

/* Collects the other side of a comparison as a report of its own, and compares. */
static int compare_sources(struct apf_report *r, const struct report_sources *s, struct apf_error *error)
{
    struct apf_report *base = (struct apf_report *)calloc(1, sizeof *base);
    if (!base)
        return error_memory(error);
    base->family = r->family;
    int code = collect_sources(base, s, error);
    if (code == APF_OK && r->functions.n && base->functions.n &&
        r->is_of_instructions != base->is_of_instructions)
        code = error_plain(error, APF_ARGUMENT, "apf_report_options.base",
                           "one of the profiles has branches, and the other samples of instructions: their "
                           "numbers cannot be compared");
    if (code == APF_OK)
        code = report_add_base_inputs(r, base, error);
    if (code == APF_OK)
        code = report_compare_functions(r, base, error);
    apf_report_free(base);
    return code;
}

int report_read_sources(struct apf_report *r, const struct apf_report_options *o, uint32_t kind,
                        uint32_t base_kind, const struct apf_options *common, struct apf_error *error)
{
    struct report_sources s = {.inputs = o->profiles,
                               .n = o->n_profiles,
                               .kind = kind,
                               .programs = o->programs,
                               .n_programs = o->n_programs,
                               .common = common};
    if (s.n == 0) { /* programs alone */
        s.inputs = s.programs;
        s.n = s.n_programs;
    }
    const int code = collect_sources(r, &s, error);
    s.inputs = o->base;
    s.n = o->n_base;
    s.kind = base_kind;
    if (!report_is_samples(base_kind))
        s.n_programs = 0; /* they are for the samples that it is compared with */
    return code == APF_OK && s.n ? compare_sources(r, &s, error) : code;
}
