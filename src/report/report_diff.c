/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Reports of comparisons. */
#include "base/error.h"
#include "report/report_begin.h"

/* Begins the report of a comparison. */
static int begin_comparison(struct apf_report **report, const struct apf_report_options *options,
                            struct apf_error *error)
{
    struct apf_report_options o;
    struct apf_options common;
    int code = report_begin(report, &o, &common, options, error);
    if (code != APF_OK || (!o.n_profiles && !o.n_base))
        return code;
    apf_report_free(*report);
    *report = NULL;
    return error_plain(error, APF_ARGUMENT, "apf_report_options.profiles",
                       "a report of a comparison has no other profiles");
}

int apf_report_of_diff(struct apf_report **report, const struct apf_diff *diff,
                       const struct apf_report_options *options, struct apf_error *error)
{
    const int code = begin_comparison(report, options, error);
    return code == APF_OK ? report_conclude(report, report_add_diff(*report, diff, error), error) : code;
}

int apf_report_of_sample_diff(struct apf_report **report, const struct apf_sample_diff *diff,
                              const struct apf_report_options *options, struct apf_error *error)
{
    const int code = begin_comparison(report, options, error);
    if (code != APF_OK)
        return code;
    (*report)->family = REPORT_SAMPLE;
    return report_conclude(report, report_add_sample_diff(*report, diff, error), error);
}
