/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Profiles of BOLT and programs with probes: the families that collectors read without a profile of merge.h or
 * sample_merge.h. */
#ifndef REPORT_REPORT_SOURCES_H
#define REPORT_REPORT_SOURCES_H

#include <anyprof/bolt.h>

#include "report/report_model.h"

struct report_sources {
    const struct apf_input *inputs;
    size_t n;
    uint32_t kind; /* enum apf_file_kind of the inputs */
    const struct apf_input *programs;
    size_t n_programs;
    const struct apf_options *common;
};

/* Collects what such profiles, or programs, say, and compares them with those of options->base. */
int report_read_sources(struct apf_report *r, const struct apf_report_options *o,
                        const struct apf_options *common, struct apf_error *error);
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
