/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Profiles that are one: opened, or merged. */
#ifndef REPORT_REPORT_SET_H
#define REPORT_REPORT_SET_H

#include "report/report_model.h"

struct report_set {
    struct apf_instr *instr;
    struct apf_merge *merge; /* whose view `instr` is, or NULL */
    const struct apf_sample *sample;
    struct apf_sample *opened; /* which `sample` is, or NULL */
    struct apf_sample_merge *sample_merge;
};

/* Opens n profiles of a family (enum report_family) as one; n may be 0. A bad one of several is left out unless nothing
 * is left. report_set_close must follow either way. */
int report_set_open(struct report_set *s, uint32_t family, const struct apf_input *inputs, size_t n,
                    const struct apf_options *common, struct apf_error *error);
void report_set_close(struct report_set *s);

#endif
