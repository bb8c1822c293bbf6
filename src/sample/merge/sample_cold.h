/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Cold functions: they lose most of their context, or are left out, as in LLVM. */
#ifndef SAMPLE_COLD_H
#define SAMPLE_COLD_H

#include "sample/model/sample_resolve.h"

struct sample_cold {
    uint64_t threshold; /* functions with fewer samples are cold; 0: none is */
    uint32_t frames;    /* of a context that stay, from 1 */
    bool merge;         /* cold functions are added up by their last frames ... */
    bool trim;          /* ... or, if their sum is cold, too, left out */
    bool base_only;     /* functions with callers are not cold */
};

struct sample_cold_result {
    uint64_t merged;           /* functions that lost a part of their context */
    uint64_t trimmed, samples; /* functions that were left out, and their samples, saturating */
};

/* The threshold of a profile: samples of the line at the cutoff `cutoff`, in millionths, of its summary. */
int sample_cold_threshold(const struct apf_sample *s, uint32_t cutoff, uint64_t *threshold,
                          struct apf_error *error);
/* Makes a profile without cold functions of a plain one, whose names it shares. Without contexts, merging changes
 * nothing. */
int sample_trim_cold(const struct apf_sample *from, const struct sample_cold *cold, struct apf_sample **to,
                     struct sample_cold_result *result, struct sample_losses *losses,
                     struct apf_error *error);

#endif
