/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What of a change ran: the lines that a diff adds, or those that ran at another time. */
#ifndef COV_DIFF_H
#define COV_DIFF_H

#include "cov/covered_lines.h"
#include "cov/patch.h"

struct cov_diff_request {
    const struct coverage *c;
    const uint32_t *files; /* that are wanted, by name */
    size_t n_files;
    const struct apf_cov_diff_options *options; /* complete */
    struct file_out *out;
    struct apf_cov_diff_result *result;
    uint64_t max_source; /* bytes of a source file, as in source_texts */
    struct apf_error *error;
};

/* Writes what of the lines that a diff adds ran. */
int cov_diff_patch(const struct cov_diff_request *r, const struct patch *patch);
/* Writes which lines ran only in one of two coverages. The other one has these files, by name, too. */
int cov_diff_base(const struct cov_diff_request *r, const struct coverage *base, const uint32_t *files,
                  size_t n_files);

#endif
