/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Finds the differences between the probes of two builds, function by function. */
#ifndef PROBE_PROBE_DIFF_H
#define PROBE_PROBE_DIFF_H

#include "probe/probe_model.h"

/* A function that differs. The later members count probe ids, and places where it is inlined. */
struct diff_function {
    uint64_t guid;
    uint64_t hash[2]; /* in A and B */
    bool has_desc[2];
    uint64_t probes[2], copies[2]; /* in the function and all of its inlined copies */
    uint64_t vanished, added;      /* ids that only A or only B has */
    uint64_t more, fewer;          /* ids with more or fewer probes in B */
    uint64_t moved;                /* probes at another distance from the start of the code they are in */
    uint64_t gone_places, new_places;
};

/* How a function differs; the worst first. */
enum diff_kind { DIFF_ONLY_A, DIFF_ONLY_B, DIFF_HASH, DIFF_PROBES, DIFF_PLACES, DIFF_MOVED, DIFF_KINDS };
enum diff_kind diff_kind_of(const struct diff_function *f);

struct probes_diff {
    const struct apf_probes *sides[2];
    struct apf_probes_check_options options;
    VEC(struct diff_function) functions; /* ranked */
    uint64_t compared;                   /* number of functions of either build */
    uint64_t probes[2];                  /* of these */
    uint64_t moved_only;                 /* functions that are not listed because probes only moved */
};

int probes_compare(struct probes_diff *diff, struct apf_error *error);
void probes_diff_free(struct probes_diff *diff);

#endif
