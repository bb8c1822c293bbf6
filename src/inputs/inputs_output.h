/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Writes the result of a merge: as a whole or not at all, and only if not too much was lost. */
#ifndef INPUTS_OUTPUT_H
#define INPUTS_OUTPUT_H

#include "inputs/inputs.h"

/* How a room writes its result. `context` is the caller's. */
struct inputs_writer {
    void *context;
    /* the result is a partial profile: whether too much was lost is for a later merge to decide */
    bool undecided;
    /* Makes the result. All inputs have been counted when it returns, and room->held knows its answers. */
    int (*make)(void *context, struct apf_error *error);
    /* Writes the result, which was made, and reports what the output cannot hold. */
    int (*write)(void *context, struct file_out *out, struct apf_error *error);
};

/* Makes the result, fails if more was lost than the merge's tolerance permits, writes it, and removes the inputs if the
 * merge does that. Inputs that cannot be removed are no failure. An output that holds all inputs already is not
 * written. Sets inputs->output. `output` has passed output_check. */
int inputs_write(struct inputs *in, const struct inputs_writer *writer, const struct apf_output *output,
                 struct apf_error *error);

#endif
