/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Partial profiles as inputs and outputs of a merge. */
#ifndef INSTR_MERGE_PARTIAL_H
#define INSTR_MERGE_PARTIAL_H

#include "inputs/partial_rosters.h"
#include "instr/merge/merge.h"
#include "instr/partial/partial_classes.h"
#include "instr/partial/partial_results.h"

/* What waits in the outcome of a partial profile until it is committed. It is in memory of the merge. */
struct merge_partial {
    struct inputs_source source; /* none unless names and sums wait in the file */
    struct partial_whole whole;
    struct apf_slice slice; /* all zero, or what it is of an input */
    struct partial_input *inputs;
    struct kept_input *kept; /* of the same inputs */
    size_t n_inputs;
    struct partial_class *classes;
    size_t n_classes;
    struct partial_rosters rosters; /* in memory of the outcome; joined when the first member is committed */
};

/* How a partial profile is read. */
struct merge_file {
    struct inputs_source source; /* none: it is read whole; else it is read twice, piece by piece */
    bool waits;                  /* it becomes a source, instead of being read a second time now */
};

/* Reads a partial profile, and adds its names, sums and traces, on any thread. What only commit needs is in the arena
 * `passing`. An input with an error adds nothing; *decided is false when an addition failed half-way. */
int merge_add_partial(struct apf_merge *m, const struct apf_input *input, const struct merge_file *file,
                      struct arena *passing, struct merge_partial **partial, bool *decided,
                      struct apf_error *error);
#endif
