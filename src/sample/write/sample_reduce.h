/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Copies of profiles without what an output cannot have. */
#ifndef SAMPLE_REDUCE_H
#define SAMPLE_REDUCE_H

#include "sample/layout/sample_releases.h"
#include "sample/model/sample_profile.h"

/* The features that can be removed. */
#define SAMPLE_REDUCIBLE                                                                                     \
    (SAMPLE_HAS_FILES | SAMPLE_HAS_CONTEXTS | SAMPLE_HAS_VTABLES | SAMPLE_HAS_INNER_METADATA |               \
     SAMPLE_HAS_ATTRIBUTES)

/* Makes a sealed copy of a sealed profile without these features (SAMPLE_HAS_*). Functions that become equal are added
 * up; of those whose checksums differ one stays (sample_resolve), and the others, *left_out of them, are left out.
 * Texts stay in the memory of `s`. The caller frees *reduced, also after a failure. */
int sample_reduce(const struct apf_sample *s, uint32_t without, struct apf_sample **reduced,
                  uint64_t *left_out, struct apf_error *error);

#endif
