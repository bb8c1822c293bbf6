/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Samples of either kind become a profile. */
#include "base/options.h"
#include "jobs/bolt_perf.h"

int apf_bolt_convert(const struct apf_input *program, const struct apf_input *samples, size_t n,
                     const struct apf_bolt_convert_options *options, struct apf_fdata *fdata,
                     struct apf_bolt_yaml *yaml, struct apf_bolt_funnel *funnel, struct apf_error *error)
{
    struct apf_bolt_convert_options o = {0};
    struct apf_options common;
    struct bolt_work work = {program, samples, n, &o, fdata, yaml, NULL, &work};
    int code = options_read(&o, sizeof o, options, error);
    if (code == APF_OK)
        code = options_read(&common, sizeof common, o.options, error);
    if (code == APF_OK)
        code = result_check(funnel, error);
    if (code == APF_OK)
        code = inputs_check(samples, n, error);
    if (code != APF_OK)
        return code;
    o.options = &common;
    work.read = o.flags & APF_BOLT_PERF_SCRIPT ? bolt_perf_read : bolt_read_preagg;
    return bolt_convert(&work, funnel, error);
}
