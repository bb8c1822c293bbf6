/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Reports of files: finds out which family they are of, and calls its collectors. */
#include "base/error.h"
#include "base/options.h"
#include "report/report_begin.h"
#include "report/report_collect.h"
#include "report/report_family.h"
#include "report/report_sources.h"

static int read_profiles(struct apf_report *r, const struct apf_report_options *o, struct apf_options *common,
                         struct apf_error *error)
{
    struct report_set now = {.instr = NULL}, base = {.instr = NULL};
    struct report_programs programs;
    int code = report_programs_open(&programs, r->family, o, common, error);
    programs.file = o->n_profiles == 1 ? o->profiles : NULL;
    if (code == APF_OK)
        code = report_set_open(&now, r->family, o->profiles, o->n_profiles, common, error);
    if (code == APF_OK)
        code = report_set_open(&base, r->family, o->base, o->n_base, common, error);
    if (code == APF_OK)
        code = report_collect(r, &now, &base, &programs, common, error);
    report_set_close(&now);
    report_set_close(&base);
    report_programs_close(&programs);
    return code;
}

static int read_all(struct apf_report *r, struct apf_report_options *o, struct apf_options *common,
                    struct apf_error *error)
{
    struct report_kind profiles = {REPORT_NO_FAMILY, 0, 0}, base = profiles;
    int code = report_check_streams(o, error);
    if (code == APF_OK)
        code = report_read_facts(r, o->profiles, o->n_profiles, REPORT_SUBJECT, common, error);
    if (code == APF_OK && o->n_base)
        code = report_read_facts(r, o->base, o->n_base, REPORT_BASE, common, error);
    if (code == APF_OK && o->n_programs)
        code = report_read_facts(r, o->programs, o->n_programs, REPORT_PROGRAM, common, error);
    if (code == APF_OK)
        code = report_find_kinds(r, o, &profiles, &base, error);
    r->family = !o->n_profiles                        ? REPORT_PROBES
                : profiles.family == REPORT_NO_FAMILY ? REPORT_INSTR
                                                      : profiles.family;
    if (code == APF_OK && r->wants_cs && r->family != REPORT_INSTR)
        code = error_plain(error, APF_ARGUMENT, "apf_report_options.flags",
                           "only instrumentation profiles have context-sensitive counts");
    if (code != APF_OK)
        return code;
    return r->family == REPORT_BOLT || r->family == REPORT_PROBES
               ? report_read_sources(r, o, profiles.kind, base.kind, common, error)
               : read_profiles(r, o, common, error);
}

int apf_report_new(struct apf_report **report, const struct apf_report_options *options,
                   struct apf_error *error)
{
    struct apf_report_options o;
    struct apf_options common;
    int code = report_begin(report, &o, &common, options, error);
    if (code != APF_OK)
        return code;
    struct apf_report *r = *report;
    if (o.n_profiles + o.n_programs == 0)
        code = error_plain(error, APF_ARGUMENT, "apf_report_options.profiles", "there is no profile");
    if (code == APF_OK && !o.title)
        code = report_make_title(r, &o, error);
    if (code == APF_OK)
        code = read_all(r, &o, &common, error);
    return report_conclude(report, code, error);
}
