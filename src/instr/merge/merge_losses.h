/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Finds the inputs whose records were left out of a merge. Sums do not know their inputs, so inputs are read again, if
 * something was left out and the options ask for it. */
#ifndef INSTR_MERGE_LOSSES_H
#define INSTR_MERGE_LOSSES_H

#include "instr/sums/sum_table.h"

/* Parts of a record that were left out: all of it, its bitmap, or its values of kind k. */
#define LOST_RECORD 1u
#define LOST_BITMAP 2u
#define LOST_VALUES(k) (4u << (k))

/* A structure of records that lost something. */
struct lost_sum {
    uint64_t id, hash;
    uint32_t n_counts, n_bitmap;
    uint32_t n_sites[APF_VALUE_KINDS];
    uint32_t flags; /* SUM_FLAGS */
    uint32_t what;  /* LOST_* */
};

struct lost_sums {
    VEC(struct lost_sum) list;
};

/* Records that a sum of this structure loses something. */
bool lost_sums_add(struct lost_sums *lost, const struct sum *s, uint32_t what) MUST_USE;

/* Whether a part of an input is known to be left out. */
static inline bool lost_anything(const struct apf_input_result *r)
{
    return r->lost_functions || r->lost_bitmaps || r->lost_values;
}

struct apf_merge;

/* Fills in and reports what each input lost, if APF_MERGE_FIND_LOSSES is set. */
int merge_find_losses(struct apf_merge *m, struct apf_error *error);

#endif
