/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* How much two sample profiles have in common, by the measure of LLVM: sample_overlap.c adds up, in LLVM's order, so
 * that the digits are LLVM's, sample_overlap_match.c compares one function, sample_overlap_print.c prints. */
#ifndef SAMPLE_OVERLAP_H
#define SAMPLE_OVERLAP_H

#include <anyprof/sample_views.h>

#include "base/arena.h"
#include "sample/views/sample_pair.h"
#include "sample/views/sample_stats.h"

struct apf_sample_overlap {
    struct apf_sample_overlap_options options;
    struct apf_sample_overlap_totals totals;
    VEC(struct apf_sample_overlap_function) functions;
    struct arena arena; /* names of the functions and of the profiles */
};

/* Two inlined functions that are compared: what is still to be compared in them, as places in the trees. */
struct sample_overlap_frame {
    uint32_t next[2], end[2];
    double difference; /* of the shares that their lines have in the function at the top level */
};

struct sample_overlap_maker {
    struct apf_sample_overlap *overlap;
    struct sample_pair pair;
    struct sample_stats *stats[2]; /* of each node */
    VEC(struct sample_overlap_frame) stack;
    uint64_t both, either; /* sums of the smaller and of the larger counts */
};

/* What two functions at the top level have in common. */
struct sample_overlap_match {
    uint64_t samples[2]; /* set by the caller */
    uint64_t unique[2];
    uint64_t both, either;
    double similarity; /* of the insides */
};
/* Compares two functions and counts the hot lines of both. False: an allocation failed. */
bool sample_overlap_match(struct sample_overlap_maker *m, const uint32_t nodes[2],
                          struct sample_overlap_match *match);

/* Counts n hot lines of which each side has `samples`, whether as one line or as several that are compared as a whole,
 * if that is hot. */
void sample_overlap_hot(struct apf_sample_overlap_totals *t, const uint64_t samples[2], uint64_t n);

/* Writes a comparison as JSON, schema anyprof-sample-overlap/1 (docs/json.md). */
struct file_out;
int sample_overlap_json(const struct apf_sample_overlap *overlap, struct file_out *out,
                        struct apf_error *error);

#endif
