/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Profiles of BOLT and programs with probes: the families that collectors read without a profile of merge.h or
 * sample_merge.h. */
#ifndef REPORT_REPORT_SOURCES_H
#define REPORT_REPORT_SOURCES_H

#include <anyprof/bolt.h>
#include <anyprof/jobs.h>

#include "report/report_model.h"

struct report_sources {
    const struct apf_input *inputs;
    size_t n;
    uint32_t kind; /* enum apf_file_kind of the inputs */
    const struct apf_input *programs;
    size_t n_programs;
    const struct apf_options *common;
};

/* Whether files of a kind are samples, which become a profile of BOLT with their program. Of BOLT's family, others are
 * such profiles, or will be reported as bad ones. */
static inline bool report_is_samples(uint32_t kind)
{
    return kind == APF_KIND_BOLT_SAMPLES || kind == APF_KIND_PERF_DATA || kind == APF_KIND_PERF_SCRIPT;
}

/* Collects what such profiles, or programs, say, and compares them with those of options->base. The kinds are those of
 * report_find_kinds. */
int report_read_sources(struct apf_report *r, const struct apf_report_options *o, uint32_t kind,
                        uint32_t base_kind, const struct apf_options *common, struct apf_error *error);
/* Collects what profiles of BOLT say, or samples that are made one with their program. */
int report_read_bolt(struct apf_report *r, const struct report_sources *s, struct apf_error *error);
int report_read_fdata(struct apf_report *r, struct apf_fdata *fdata, struct apf_error *error);
int report_read_bolt_yaml(struct apf_report *r, struct apf_bolt_yaml *yaml, struct apf_error *error);
/* Adds the tables of what became of samples. False: allocation failed. */
bool report_add_funnel(struct apf_report *r, const struct apf_bolt_funnel *funnel) MUST_USE;
/* Collects the probes of programs. */
int report_read_probes(struct apf_report *r, const struct apf_input *inputs, size_t n,
                       const struct apf_options *common, struct apf_error *error);

#endif
