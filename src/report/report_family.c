/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Families of profiles: a report is about one of them. */
#include "report/report_family.h"

#include <anyprof/jobs.h>

#include "base/error.h"
#include "base/file.h"
#include "base/options.h"

uint32_t report_family_of(const struct apf_report *r, const struct apf_input *inputs, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const uint32_t kind = i < r->files.n ? r->files.data[i].kind : APF_KIND_UNKNOWN;
        if (kind == APF_KIND_BOLT_FDATA || kind == APF_KIND_BOLT_YAML || kind == APF_KIND_BOLT_SAMPLES ||
            kind == APF_KIND_PERF_DATA || kind == APF_KIND_PERF_SCRIPT)
            return REPORT_BOLT;
        if (kind == APF_KIND_ELF)
            return REPORT_PROBES;
        const enum apf_family family = apf_file_family(input_at(inputs, i));
        if (family != APF_FAMILY_NONE)
            return family == APF_FAMILY_SAMPLE ? REPORT_SAMPLE : REPORT_INSTR;
    }
    return REPORT_INSTR;
}

uint32_t report_kind_of(const struct apf_report *r, uint32_t role)
{
    for (size_t i = 0; i < r->files.n; i++)
        if (r->files.data[i].role == role && r->files.data[i].kind != APF_KIND_EMPTY)
            return r->files.data[i].kind;
    return APF_KIND_UNKNOWN;
}

int report_check_families(const struct apf_report *r, const struct apf_report_options *o,
                          struct apf_error *error)
{
    const bool samples = r->family == REPORT_SAMPLE;
    for (size_t i = 0; i < o->n_base && (samples || r->family == REPORT_INSTR); i++) {
        const enum apf_family family = apf_file_family(input_at(o->base, i));
        if (family != (samples ? APF_FAMILY_INSTR : APF_FAMILY_SAMPLE))
            continue;
        const struct apf_str name = file_name(input_at(o->base, i));
        return error_file(error,
                          error_plain(error, APF_ARGUMENT, "apf_report_options.base",
                                      "instrumentation and sample profiles cannot be compared"),
                          name.p, name.n);
    }
    return APF_OK;
}
