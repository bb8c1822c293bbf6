/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Pre-aggregated samples: text with one record per line, which perf2bolt reads with --pa. */
#ifndef BOLT_PREAGG_READ_H
#define BOLT_PREAGG_READ_H

#include <stdbool.h>

#include <anyprof/bolt.h>

#include "base/text_set.h"
#include "object/branch_counts.h"

/* The kinds of a struct branch_sample. */
enum sample_kind {
    SAMPLE_TRACE,       /* T: a branch, and the code from its target on */
    SAMPLE_RETURN,      /* R: the branch is a return */
    SAMPLE_BRANCH,      /* B: only the branch */
    SAMPLE_FALL,        /* F: only the code, after a branch of the same function */
    SAMPLE_FALL_IN,     /* f: only the code, after a branch of another function */
    SAMPLE_FALL_RETURN, /* r: only the code, after a return */
    SAMPLE_BASIC        /* S: an instruction; `branch` is its address */
};

/* Called for each record; a result other than APF_OK ends the reading and is returned. */
typedef int read_sample(void *user, const struct branch_sample *sample, struct apf_error *error);

/* The `where` of the error of the first line that is right but for a carriage return at its end. */
#define PREAGG_CARRIAGE_RETURN "samples.carriage_return"

/* Parses samples, and adds the names of their events. APF_BAD_SAMPLES: the error has line and column. */
int preagg_read(const char *text, size_t n, struct text_set *events, read_sample *each, void *user,
                uint64_t *n_records, struct apf_error *error);

#endif
