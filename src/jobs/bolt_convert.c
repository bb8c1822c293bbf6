/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Samples of either kind become a profile. */
#include "base/options.h"
#include "jobs/bolt_perf.h"

int apf_bolt_convert(const struct apf_input *program, const struct apf_input *samples, size_t n,
                     const struct apf_bolt_convert_options *options, struct apf_fdata *fdata,
                     struct apf_bolt_funnel *funnel, struct apf_error *error)
{
    struct apf_bolt_convert_options o = {0};
    options_take(&o, sizeof o, options);
    struct bolt_perf_inputs in = {&o, samples, n, program->path ? program->path : program->name};
    if (!in.program)
        in.program = "";
    bool perf = o.flags & APF_BOLT_PERF_SCRIPT;
    o.options = options_copy(&o.options);
    return bolt_convert(program, samples, n, options, fdata, perf ? bolt_perf_read : NULL, &in, funnel,
                        error);
}
