/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Samples of either kind become a profile. */
#include "base/options.h"
#include "jobs/bolt_perf.h"

int apf_bolt_convert(const struct apf_input *program, const struct apf_input *samples, size_t n,
                     const struct apf_bolt_convert_options *options, struct apf_fdata *fdata,
                     struct apf_bolt_yaml *yaml, struct apf_bolt_funnel *funnel, struct apf_error *error)
{
    struct apf_bolt_convert_options o = {0};
    struct bolt_work work = {program, samples, n, &o, fdata, yaml, NULL, &work};
    options_take(&o, sizeof o, options);
    o.options = options_copy(&o.options);
    work.read = o.flags & APF_BOLT_PERF_SCRIPT ? bolt_perf_read : bolt_read_preagg;
    return bolt_convert(&work, funnel, error);
}
