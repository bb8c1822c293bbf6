/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Merges files in memory in several ways, and compares the results. */
#ifndef HELPERS_SHARED_MERGE_MEMORY_H
#define HELPERS_SHARED_MERGE_MEMORY_H

#include <anyprof/anyprof.h>

#include "helpers/shared/unit.h"

#define MERGE_OUTPUTS 4u
#define MOST_INPUTS 16u

/* A way to merge the inputs. */
struct merge_way {
    uint32_t flags, threads;
    size_t batch; /* inputs of one apf_merge_add; 0: all */
};

#define MOST_FATE_IDS 8u
#define MOST_FATE_FINDINGS 11u

/* The result of an input without the text of its error. */
struct merge_fate {
    int32_t code, format;
    uint64_t weight, producers, version, variant, pointer_bits, big_endian;
    uint64_t n_profiles, n_records, n_counters, sum_of_counts;
    uint64_t n_ids, n_findings;
    struct merge_fate_id {
        size_t n;
        uint8_t first[24];
    } ids[MOST_FATE_IDS];
    struct apf_finding findings[MOST_FATE_FINDINGS]; /* static texts: compared by their addresses */
    uint64_t offset;
    char where[48];
};

/* The result of a merge: outputs for the newest version, for the producers, as text, and for an old version (whose
 * order depends on what was seen first); all numbers; and the inputs. */
struct merged {
    struct apf_buffer outputs[MERGE_OUTPUTS];
    struct apf_merge_stats stats[MERGE_OUTPUTS];
    struct merge_fate fates[MOST_INPUTS];
    size_t n;
    bool reordered; /* set by the test: the inputs came in another order, so they are not compared */
};

/* Inputs in memory; name may be NULL. */
void merge_memory(struct merged *m, const struct apf_input *inputs, size_t n, struct merge_way way);
void merged_free(struct merged *m);

/* Fails the test, at the caller's line, unless outputs, inputs and numbers (but that of inputs on the fast path) are
 * equal. */
#define EXPECT_SAME_MERGE(a, b) expect_same_merge(a, b, __FILE__, __LINE__)
void expect_same_merge(const struct merged *a, const struct merged *b, const char *file, int line);

#endif
