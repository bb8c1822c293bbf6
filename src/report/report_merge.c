/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Reports of merges. */
#include "base/error.h"
#include "report/report_begin.h"
#include "report/report_collect.h"

/* Makes the report of a merge, whose caller keeps it. */
static int of_merge(struct apf_report **report, struct report_set *now,
                    const struct apf_report_options *options, struct apf_error *error)
{
    struct apf_report_options o;
    struct apf_options common;
    struct report_set base = {.instr = NULL};
    struct report_programs programs = {.list = NULL};
    int code = report_begin(report, &o, &common, options, error);
    if (code != APF_OK)
        return code;
    struct apf_report *r = *report;
    r->family = now->sample_merge ? REPORT_SAMPLE : REPORT_INSTR;
    code = report_check_streams(&o, error);
    if (code == APF_OK && o.n_profiles)
        code = report_read_facts(r, o.profiles, o.n_profiles, REPORT_SUBJECT, &common, error);
    if (code == APF_OK && now->merge)
        code = apf_merge_view(now->merge, &now->instr, error);
    if (code == APF_OK && now->sample_merge)
        code = apf_sample_merge_view(now->sample_merge, &now->sample, error);
    if (code == APF_OK)
        code = report_programs_open(&programs, r->family, &o, &common, error);
    if (code == APF_OK)
        code = report_set_open(&base, r->family, o.base, o.n_base, &common, error);
    if (code == APF_OK)
        code = report_collect(r, now, &base, &programs, &common, error);
    report_set_close(&base);
    report_programs_close(&programs);
    return report_conclude(report, code, error);
}

int apf_report_of_merge(struct apf_report **report, struct apf_merge *merge,
                        const struct apf_report_options *options, struct apf_error *error)
{
    struct report_set now = {.merge = merge};
    return of_merge(report, &now, options, error);
}

int apf_report_of_sample_merge(struct apf_report **report, struct apf_sample_merge *merge,
                               const struct apf_report_options *options, struct apf_error *error)
{
    struct report_set now = {.sample_merge = merge};
    return of_merge(report, &now, options, error);
}
