/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* From sums to the profile that is shown and written: names, order, and decisions between sums that do not fit
 * together. The sums are only read, so that more can be added afterwards. */
#ifndef INSTR_SUM_RESOLVE_H
#define INSTR_SUM_RESOLVE_H

#include "instr/merge/merge_losses.h"
#include "instr/merge/renames.h"
#include "instr/merge/sum_table.h"

/* Sums that stand one after the other. */
struct sum_run {
    const struct sum *sums;
    size_t n;
};

struct sum_resolve_input {
    const struct sum_run *runs; /* their sums are taken together */
    size_t n_runs;
    const struct symbols *symbols; /* of the merge */
    const struct renames *keys;    /* of functions */
    const struct renames *values;  /* of what values point to */
    uint32_t classes;              /* names count that have one of these bits in their flags */
    apf_name_filter_fn *filter;    /* NULL: all functions are kept */
    void *filter_user;
    apf_diag_fn *diag;
    void *user;
    struct arena *scratch;  /* left as it was */
    struct lost_sums *lost; /* takes what is left out */
};

/* Fills records, info.n_records and n_counters of an empty profile, and the statistics about records. */
int sum_resolve(struct apf_instr *view, const struct sum_resolve_input *in, struct apf_merge_stats *stats,
                struct apf_error *error);

#endif
