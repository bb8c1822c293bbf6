/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A small program with all kinds of data, and runs of it that tests change and merge on both paths. */
#ifndef HELPERS_SHARED_RAW_RUNS_H
#define HELPERS_SHARED_RAW_RUNS_H

#include <anyprof/anyprof.h>

#include "helpers/shared/raw_build.h"

#define MOST_RUNS 8u

/* Profiles of three functions, main, callee and a.c:local; run i counts i + 1 times as much in main, and has another
 * load address. A test changes what it needs. */
struct runs {
    struct rb_profile profiles[MOST_RUNS];
    struct rb_function functions[MOST_RUNS][4];
    uint64_t counts[MOST_RUNS][3];
    struct rb_file files[MOST_RUNS];
    struct apf_input inputs[MOST_RUNS];
    size_t n;
};

void make_runs(struct runs *r, size_t n, unsigned version, unsigned bytes, bool big);
void free_runs(struct runs *r);
/* Merges the profiles on the general path and on the fast one; the results must be equal. Returns the number of inputs
 * on the fast path. */
uint64_t merge_runs(struct runs *r);

#endif
