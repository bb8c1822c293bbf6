/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Corrects the view of a merge by what a sample profile says about its functions: apf_merge_supplement.
 *
 * It is done when the records of the view are complete, and the sums stay as they are. So it depends on nothing but the
 * result, and another view can be made later. supplement_match.h finds the functions of the sample profile. */
#ifndef INSTR_SUPPLEMENT_H
#define INSTR_SUPPLEMENT_H

#include <anyprof/merge.h>

#include "instr/model/profile.h"

/* All zero: none. */
struct supplement {
    struct apf_supplement samples; /* size == 0: none */
    struct apf_supplement_options options;
    struct apf_supplement_function *functions; /* those of `samples`, copied */
};

/* Copies what the caller gives in place of what there is; after a failure, that stays. */
int supplement_set(struct supplement *s, const struct apf_supplement *samples,
                   const struct apf_supplement_options *options, struct apf_error *error);
void supplement_free(struct supplement *s);

struct supplement_input {
    const struct supplement *supplement;
    apf_diag_fn *diag;
    void *user;
};

/* Corrects the records of a view, and sets the statistics about that. */
int supplement_apply(struct apf_instr *view, const struct supplement_input *in, struct apf_merge_stats *stats,
                     struct apf_error *error);

/* floor(count * n / d), at most `limit`, which sets *cut; d is not 0. */
uint64_t supplement_scale(uint64_t count, uint64_t n, uint64_t d, uint64_t limit, bool *cut);

#endif
