/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Partial profiles as inputs of a merge. */
#ifndef SAMPLE_MERGE_PARTIAL_H
#define SAMPLE_MERGE_PARTIAL_H

#include "inputs/partial_rosters.h"
#include "sample/merge/sample_merge.h"
#include "sample/partial/sample_partial_results.h"

/* What waits in the outcome of a partial profile until it is committed. It is in memory of the merge. */
struct sample_merge_partial {
    struct sample_partial_input *inputs;
    struct kept_input *kept; /* of the same inputs */
    size_t n_inputs;
    struct partial_rosters rosters; /* in memory of the outcome; joined when the first member is committed */
    uint64_t weights[SAMPLE_CLASS_COUNT];
    struct apf_slice slice;      /* all zero, or what it is of an input */
    struct inputs_source source; /* none unless the sums wait in the file */
};

/* Reads a partial profile, and adds its sums, on any thread. The input is that of `source`, whose sums wait in the file
 * if `waits` is set and its order does not depend on others. What only commit needs is in the arena `passing`. An input
 * with an error adds nothing; *decided is false when an addition failed half-way. */
int sample_merge_add_partial(struct apf_sample_merge *m, const struct inputs_source *source, bool waits,
                             struct arena *passing, struct sample_merge_partial **partial, bool *decided,
                             struct apf_error *error);

#endif
