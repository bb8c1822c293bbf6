/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/** @file supplement.h
 * What a sample profile says about functions that an instrumented run hardly reached: plain data, which
 * apf_sample_supplement_new makes from a sample profile and apf_merge_supplement applies to a merge.
 */
#ifndef ANYPROF_SUPPLEMENT_H
#define ANYPROF_SUPPLEMENT_H

#include <anyprof/io.h>

#ifdef __cplusplus
extern "C" {
#endif

/** A function of a sample profile, at the top level or inlined. Its layout is frozen. */
struct apf_supplement_function {
    uint64_t hash;    /**< of its name: the first 8 bytes of the MD5 as a little-endian number */
    uint64_t entries; /**< how often it was entered, as far as the profile says */
    uint64_t hottest; /**< the largest count of a line of its own; 0: it has no line */
    /** 0: at the top level; n > 0: it is inlined in the last function before it that has the depth n - 1 */
    uint32_t depth;
    uint32_t reserved;
};

/** The functions of a sample profile, and from how many samples on they matter. */
struct apf_supplement {
    size_t size; /**< sizeof(struct apf_supplement) */
    /** each one followed by what is inlined in it; a name may come up any number of times */
    const struct apf_supplement_function *functions;
    size_t n_functions;
    uint64_t hot_count;  /**< a function with a count of at least this is hot ... */
    uint64_t cold_count; /**< ... and one whose counts are all below this is cold */
    /** 1: local functions have names with ".__uniq." and a hash of their path (-funique-internal-linkage-names) */
    uint32_t unique_names;
};

/** Which functions of a merge are corrected, and how. The options of llvm-profdata with which these have a name in
 * common have the values 10, 0 and 0.7 if they are not given. */
struct apf_supplement_options {
    size_t size;           /**< sizeof(struct apf_supplement_options) */
    uint64_t min_counters; /**< --suppl-min-size-threshold: functions with fewer counters stay as they are */
    /** --instr-prof-cold-threshold: functions with a counter above this stay as they are; 0: the summary decides */
    uint64_t cold_count;
    /** --zero-counter-threshold: if a larger share of its counters is 0, a function is marked, and not scaled */
    double zero_share;
};

#ifdef __cplusplus
}
#endif
#endif
