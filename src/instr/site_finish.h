/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* From the values of a sum to those of a record: renamed, in order, and no more than fit in a file. */
#ifndef INSTR_SITE_FINISH_H
#define INSTR_SITE_FINISH_H

#include "instr/accum.h"
#include "instr/renames.h"

struct site_finisher {
    struct arena *arena; /* of the records */
    const struct renames *renames;
    struct apf_merge_stats *stats; /* what is cut, and targets without a name */
    VEC(struct apf_value) values;  /* scratch memory; the owner frees it */
};

/* Fills in the record's sites; its numbers of sites are there. */
int site_finish(struct site_finisher *f, const struct sum *s, struct record *out, struct apf_error *error);

#endif
