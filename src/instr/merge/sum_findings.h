/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Findings about functions that do not match or overflow: LLVM's words, then the reason in brackets. */
#ifndef INSTR_SUM_FINDINGS_H
#define INSTR_SUM_FINDINGS_H

#include "instr/sums/renames.h"
#include "instr/sums/sum_table.h"

struct sum_findings {
    const struct symbols *symbols; /* of the merge */
    const struct renames *keys;    /* of functions */
    apf_diag_fn *diag;             /* NULL: no findings are wanted */
    void *user;
    /* The number of an input (input_member), and its name. */
    size_t (*find_input)(const void *inputs, uint64_t input, struct apf_str *name);
    const void *inputs; /* for find_input */
};

/* Report a sum that is left out, wholly or in part: numbers of what `code` is about differ; a pseudo count stands where
 * other inputs have the same number of counts, or the other way round. And one that was cut. APF_OK or APF_STOPPED. */
int sum_report_sizes(const struct sum_findings *f, int code, const struct sum *s, uint64_t found,
                     uint64_t expected, struct apf_error *error);
int sum_report_pseudo(const struct sum_findings *f, const struct sum *s, struct apf_error *error);
int sum_report_overflow(const struct sum_findings *f, const struct sum *s, struct apf_error *error);

#endif
