/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What a merge reports about functions: those that do not go together, and those whose counts are cut. */
#ifndef SAMPLE_MERGE_FINDINGS_H
#define SAMPLE_MERGE_FINDINGS_H

#include "sample/model/sample_resolve.h"

struct sample_finder {
    const struct apf_options *common;
    /* Finds the number of an input for messages, and its name, by sample_node.input, which is not SAMPLE_NO_INPUT. */
    struct apf_str (*input_name)(const void *names, uint64_t input, uint64_t *number);
    const void *names;
};

/* Reports functions of a profile that were left out, by input, then in the order of output. `s`: the profile that they
 * were left out of, whose contexts they have. */
int sample_report_losses(const struct sample_finder *f, const struct apf_sample *s,
                         const struct sample_losses *losses, struct apf_error *error);
/* Reports, likewise, functions at the top level with a count that was cut, be it of what is inlined in them. *n: their
 * number. */
int sample_report_saturated(const struct sample_finder *f, const struct apf_sample *s, uint64_t *n,
                            struct apf_error *error);

#endif
