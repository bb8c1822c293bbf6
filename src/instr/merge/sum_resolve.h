/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Makes the profile that is shown and written from sums: names, order, and decisions between sums that do not fit
 * together. The sums are only read, so that more can be added afterwards. */
#ifndef INSTR_SUM_RESOLVE_H
#define INSTR_SUM_RESOLVE_H

#include "instr/merge/merge_losses.h"
#include "instr/merge/sum_findings.h"
#include "instr/sums/renames.h"
#include "instr/sums/sum_table.h"

/* An array of sums. */
struct sum_run {
    const struct sum *sums;
    size_t n;
};

struct sum_runs {
    VEC(struct sum_run) list;
};

struct sum_resolve_input {
    const struct sum_run *runs; /* all runs together */
    size_t n_runs;
    const struct symbols *symbols; /* of the merge */
    const struct renames *keys;    /* of functions */
    const struct renames *values;  /* of the targets of values */
    uint32_t classes;              /* only names with one of these bits in their flags count */
    apf_name_filter_fn *filter;    /* NULL: all functions are kept */
    void *filter_user;
    struct arena *scratch; /* rewound before return */
    struct sum_findings findings;
    struct lost_sums *lost; /* receives what is left out */
    struct pulse *pulse;    /* NULL, or what may end the work */
};

/* Fills records, info.n_records and n_counters of an empty profile, and the statistics about records. */
int sum_resolve(struct apf_instr *view, const struct sum_resolve_input *in, struct apf_merge_stats *stats,
                struct apf_error *error);

#endif
