/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* In place of `report`: refuses to make reports, which need the library of charts and the readers of programs. */
#include <anyprof/report.h>

#include "base/error.h"

static int refuse(struct apf_report **report, struct apf_error *error)
{
    *report = NULL;
    return error_plain(error, APF_UNSUPPORTED, "build",
                       "this anyprof was built without reports: build it with -DANYPROF_ELF=ON");
}

int apf_report_of_merge(struct apf_report **report, struct apf_merge *merge,
                        const struct apf_report_options *options, struct apf_error *error)
{
    (void)merge;
    (void)options;
    return refuse(report, error);
}

int apf_report_of_sample_merge(struct apf_report **report, struct apf_sample_merge *merge,
                               const struct apf_report_options *options, struct apf_error *error)
{
    (void)merge;
    (void)options;
    return refuse(report, error);
}

int apf_report_of_diff(struct apf_report **report, const struct apf_diff *diff,
                       const struct apf_report_options *options, struct apf_error *error)
{
    (void)diff;
    (void)options;
    return refuse(report, error);
}

int apf_report_of_sample_diff(struct apf_report **report, const struct apf_sample_diff *diff,
                              const struct apf_report_options *options, struct apf_error *error)
{
    (void)diff;
    (void)options;
    return refuse(report, error);
}

int apf_report_write_html(const struct apf_report *report, const struct apf_output *output,
                          struct apf_error *error)
{
    struct apf_report *none;
    (void)report;
    (void)output;
    return refuse(&none, error);
}

int apf_report_write_markdown(const struct apf_report *report, const struct apf_output *output,
                              struct apf_error *error)
{
    struct apf_report *none;
    (void)report;
    (void)output;
    return refuse(&none, error);
}

void apf_report_free(struct apf_report *report)
{
    (void)report;
}
