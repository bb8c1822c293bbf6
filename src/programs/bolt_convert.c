/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Converts samples of either kind to a profile. */
#include "base/options.h"
#include "programs/bolt_perf.h"

#define ALL_FLAGS                                                                                            \
    (APF_BOLT_CONVERT_BASIC | APF_BOLT_CONVERT_PERF_SCRIPT | APF_BOLT_CONVERT_IGNORE_BUILD_ID |              \
     APF_BOLT_CONVERT_KEEP_KERNEL | APF_BOLT_CONVERT_PERF_DATA)

int apf_bolt_convert(struct apf_fdata *fdata, struct apf_bolt_yaml *yaml, const struct apf_input *program,
                     const struct apf_input *samples, size_t n,
                     const struct apf_bolt_convert_options *options, struct apf_bolt_funnel *funnel,
                     struct apf_error *error)
{
    struct apf_bolt_convert_options o = {0};
    struct apf_options common;
    struct bolt_work work = {program, samples, n, &o, fdata, yaml, NULL, &work};
    int code = OPTIONS_READ_BOTH(apf_bolt_convert_options, &o, options, &common, error);
    if (code == APF_OK)
        code = flags_check(o.flags, ALL_FLAGS, "apf_bolt_convert_options.flags", error);
    if (code == APF_OK)
        code = RESULT_CHECK(apf_bolt_funnel, funnel, error);
    if (code == APF_OK)
        code = inputs_check(program, 1, error);
    if (code == APF_OK)
        code = inputs_check(samples, n, error);
    if (code == APF_OK && o.build_ids)
        code = inputs_check(o.build_ids, 1, error);
    if (code != APF_OK)
        return code;
    o.options = &common;
    work.read = o.flags & (APF_BOLT_CONVERT_PERF_SCRIPT | APF_BOLT_CONVERT_PERF_DATA) ? bolt_perf_read
                                                                                      : bolt_read_preagg;
    return bolt_convert(&work, funnel, error);
}
