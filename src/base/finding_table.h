/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Tables of what can be odd about an input that is accepted. A room has a table of rows, whose number n is 0, and
 * readers count in an array of as many numbers how often an input has each. */
#ifndef BASE_FINDING_TABLE_H
#define BASE_FINDING_TABLE_H

#include <anyprof/error.h>

#include "base/arena.h"

struct finding_table {
    const struct apf_finding *rows;
    size_t n;
};

/* Makes an array of *n findings from the counts, in the arena. NULL: allocation failed. */
const struct apf_finding *finding_table_list(const struct finding_table *table, const uint64_t *counts,
                                             struct arena *arena, size_t *n);
/* The counts of which finding_table_list made an array. */
void finding_table_counts(const struct finding_table *table, const struct apf_finding *findings, size_t n,
                          uint64_t *counts);
/* Calls `diag` (may be NULL) once for each row with a count. APF_STOPPED: the callback asked to stop. */
int finding_table_report(const struct finding_table *table, const uint64_t *counts, uint64_t input,
                         struct apf_str source, apf_diag_fn *diag, void *user, struct apf_error *error);

#endif
