/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Whose records were left out of a merge. Sums do not know what they were made of, so inputs are read again, if
 * something was left out at all and somebody wants to know. */
#ifndef INSTR_MERGE_LOSSES_H
#define INSTR_MERGE_LOSSES_H

#include "instr/merge/sum_table.h"

/* What is left out of a record: all of it, its bitmap, or its values of kind k. */
#define LOST_RECORD 1u
#define LOST_BITMAP 2u
#define LOST_VALUES(k) (4u << (k))

/* Records with this structure. */
struct lost_sum {
    uint64_t id, hash;
    uint32_t n_counts, n_bitmap;
    uint32_t n_sites[APF_VALUE_KINDS];
    uint32_t flags; /* APF_RECORD_PSEUDO or 0 */
    uint32_t what;  /* LOST_* */
};

struct lost_sums {
    VEC(struct lost_sum) list;
};

/* Notes that records like this one lose something. */
bool lost_sums_add(struct lost_sums *lost, const struct sum *s, uint32_t what) MUST_USE;

/* Whether something of an input is left out, as far as is known. */
static inline bool lost_anything(const struct apf_input_result *r)
{
    return r->lost_functions || r->lost_bitmaps || r->lost_values;
}

struct apf_merge;

/* Fills in what each input lost, if that is asked for (APF_MERGE_FIND_LOSSES), and tells of it. */
int merge_find_losses(struct apf_merge *m, struct apf_error *error);

#endif
