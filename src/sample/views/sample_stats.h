/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Sums over the lines of functions. */
#ifndef SAMPLE_STATS_H
#define SAMPLE_STATS_H

#include "sample/model/sample_profile.h"

/* Of a function and all that is inlined in it. */
struct sample_stats {
    uint64_t sum;   /* of all lines; wraps, as in LLVM */
    uint64_t most;  /* the largest count of a line */
    uint64_t n_hot; /* lines with at least the threshold */
};

/* The sums of all nodes, an array that the caller frees. NULL: allocation failed. */
struct sample_stats *sample_stats_make(const struct apf_sample *s, uint64_t hot_threshold);

#endif
