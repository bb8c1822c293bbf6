/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What profiles of probes and of lines have in common, once all counts are in them. */
#ifndef PROFGEN_PROFGEN_FINISH_H
#define PROFGEN_PROFGEN_FINISH_H

#include "profgen/profgen_functions.h"
#include "sample/model/sample_profile.h"

/* Functions that initialize variables have the same names in all files: their counts would be mixed. */
bool profgen_is_ambiguous(struct apf_str name);
/* Leaves out such functions, also inlined ones, of a sealed profile. */
int profgen_drop_ambiguous(struct apf_sample *s, struct apf_error *error);
/* The counts of all targets of a place. */
struct profgen_place_calls {
    uint64_t sum;  /* at most 2^64 - 1 */
    uint64_t most; /* the largest of them */
};

/* Finds the calls of a place in a sealed function. *next is 0 at first, and moves: places must come in ascending
 * order. */
struct profgen_place_calls profgen_calls_at(const struct sample_node *f, uint64_t at, size_t *next);
/* Seals a profile; a call that was seen more often than its line or probe counts as often as it was seen, in functions
 * that are not inlined. Of flags, APF_PROFGEN_UPDATE_TOTALS makes totals anew: as in LLVM, with contexts
 * before calls count more, else afterwards. */
int profgen_finish(struct apf_sample *s, uint32_t flags, struct apf_error *error);
/* Gives all functions of a complete profile APF_SAMPLE_SHOULD_BE_INLINED. */
void profgen_mark_inlined(struct apf_sample *s);
/* Adds the list of all functions that begin a range, for compilers to know which ones did not run. */
int profgen_list_functions(struct apf_sample *s, const struct profgen_functions *functions,
                           struct apf_error *error);

/* a + b, at most 2^64 - 1. */
static inline uint64_t profgen_sum(uint64_t a, uint64_t b)
{
    return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

/* a * b, at most 2^64 - 1. */
static inline uint64_t profgen_product(uint64_t a, uint64_t b)
{
    uint64_t product;
    return MUL_OVERFLOWS(a, b, &product) ? UINT64_MAX : product;
}

#endif
