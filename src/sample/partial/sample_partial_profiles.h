/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Sums of sample profiles in partial profiles: one profile for each class of inputs, with one table of names. */
#ifndef SAMPLE_PARTIAL_PROFILES_H
#define SAMPLE_PARTIAL_PROFILES_H

#include "inputs/inputs_listing.h"
#include "partial/partial_slices.h"
#include "sample/partial/sample_partial_records.h"

/* The sums of several inputs. All zero = empty. */
struct sample_partial_sums {
    struct sample_names names;
    struct apf_sample *profiles[SAMPLE_PARTIAL_CLASSES]; /* with numbers of these names; NULL: none */
    uint64_t weights[SAMPLE_PARTIAL_CLASSES];            /* of their inputs */
};

void sample_partial_sums_free(struct sample_partial_sums *sums);
/* Writes sums whose sample_node.input is that of inputs_entry. The names may be more than the profiles have. A slice
 * has the functions whose names have some hashes, with what is inlined in them, and the classes; slice 0 all else. */
int sample_partial_write_sums(struct partial_slices *files, const struct sample_partial_sums *sums,
                              const struct inputs_listing *inputs, struct apf_error *error);
/* Reads the sums of n_inputs inputs, whose numbers from 0 become sample_node.input; the profiles are sealed.
 * sample_partial_sums_free must follow, also after a failure. APF_BAD_PARTIAL, APF_LIMIT, APF_NO_MEMORY. */
int sample_partial_read_sums(struct partial_reader *file, const struct sample_read_options *limits,
                             uint64_t n_inputs, struct sample_partial_sums *sums, struct apf_error *error);

#endif
