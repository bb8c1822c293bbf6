/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Pre-aggregated samples: text with a record in each line, which perf2bolt reads with --pa. */
#ifndef BOLT_PREAGG_READ_H
#define BOLT_PREAGG_READ_H

#include <stdbool.h>

#include <anyprof/bolt.h>

#include "base/arena.h"
#include "object/branch_counts.h"

/* The kinds of a struct branch_sample. */
enum sample_kind {
    SAMPLE_TRACE,       /* T: a branch, and the code from its target on */
    SAMPLE_RETURN,      /* R: the branch is a return */
    SAMPLE_BRANCH,      /* B: only the branch */
    SAMPLE_FALL,        /* F: only the code, behind a branch of the same function */
    SAMPLE_FALL_IN,     /* f: behind one from elsewhere */
    SAMPLE_FALL_RETURN, /* r: behind a return */
    SAMPLE_BASIC        /* S: an instruction, whose address `branch` is */
};

/* Called for each record; another value than APF_OK ends the reading, and is returned. */
typedef int read_sample(void *user, const struct branch_sample *sample, struct apf_error *error);

/* Names of events, each once. */
struct preagg_events {
    struct arena arena;
    VEC(struct apf_str) list;
};
/* Adds a name that is not in the list; false: allocation failed. */
bool preagg_add_event(struct preagg_events *events, struct apf_str name) MUST_USE;
bool preagg_has_event(const struct preagg_events *events, struct apf_str name);
/* Reads samples, and adds the names of events. APF_BAD_SAMPLES: with line and column. */
int preagg_read(const char *text, size_t n, struct preagg_events *events, read_sample *each, void *user,
                uint64_t *n_records, struct apf_error *error);

#endif
