/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What profgen reads: recordings and other inputs, one by one, so that errors and warnings name the one that they are
 * about. */
#ifndef CLI_PROFGEN_INPUTS_H
#define CLI_PROFGEN_INPUTS_H

#include "profgen_programs.h"

struct profgen_inputs {
    enum apf_profgen_input kind;
    struct apf_input *list;
    size_t n;
};

/* Reads the inputs for all programs, which are open. 0, or an exit code after a report. */
int profgen_inputs_read(const struct profgen_inputs *inputs, const struct profgen_programs *programs,
                        const struct request *request);

#endif
