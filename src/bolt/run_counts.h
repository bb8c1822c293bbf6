/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* How often each step of a sequence was gone through, by runs over any number of them: a run costs as much as its two
 * ends. */
#ifndef BOLT_RUN_COUNTS_H
#define BOLT_RUN_COUNTS_H

#include <stdbool.h>

#include "base/arena.h"

struct run_change; /* modulo 2^128 */

struct run_counts {
    struct run_change *changes; /* from each step to the next one; settled: the counts */
    size_t n;
};

/* n steps; false: memory is out. */
bool run_counts_open(struct run_counts *r, struct arena *arena, size_t n) MUST_USE;
/* Those from `first` up to, but not, `end`. */
void run_counts_add(struct run_counts *r, size_t first, size_t end, uint64_t count);
/* When all runs were added. Sums beyond APF_FDATA_MOST stay there. */
void run_counts_settle(struct run_counts *r);
uint64_t run_counts_at(const struct run_counts *r, size_t step);

#endif
