/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Makes the values of a record from those of a sum: renamed, in order, and no more than fit in a file. */
#ifndef INSTR_SUM_SITES_H
#define INSTR_SUM_SITES_H

#include "instr/sums/renames.h"
#include "instr/sums/sum_table.h"

struct sum_sites {
    struct arena *arena; /* of the records */
    const struct renames *renames;
    struct apf_merge_stats *stats; /* counts values that are cut, and targets without a name */
    VEC(struct apf_value) values;  /* scratch memory; the owner frees it */
};

/* Fills in the record's sites; its numbers of sites must be set. */
int sum_sites_finish(struct sum_sites *f, const struct sum *s, struct record *out, struct apf_error *error);

#endif
