/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Puts records in the order of time, as perf does: those of one processor are in order, processors take turns by whole
 * buffers. A mark in the stream (FINISHED_ROUND) says that nothing older will come than what had come at the mark
 * before; without marks, a bound on memory does. */
#ifndef PERF_PERF_WINDOW_H
#define PERF_PERF_WINDOW_H

#include "base/vec.h"
#include "perf/perf_stream.h"

struct perf_timed {
    uint64_t time;
    uint32_t attr; /* number of its event */
    struct perf_raw raw;
};

/* A result other than APF_OK ends the work and is returned. */
typedef int perf_timed_fn(void *user, const struct perf_timed *record, struct apf_error *error);

/* All zero = empty. */
struct perf_window {
    VEC(struct perf_timed) list; /* in the order of time up to n_sorted */
    size_t n_sorted, n_gone;     /* n_gone: records at the beginning that were passed on */
    uint64_t newest;             /* latest time of any record */
    uint64_t last;               /* time of the record that came last */
    uint64_t mark;               /* `newest` at the last mark */
    uint64_t passed;             /* time of the last record that was passed on */
    uint64_t n_late;             /* records that came after a later one was passed on */
};

void perf_window_free(struct perf_window *w, struct perf_blocks *blocks);
/* Adds a record, and takes over the block that it holds, also if it fails. */
int perf_window_add(struct perf_window *w, struct perf_blocks *blocks, const struct perf_timed *record,
                    struct apf_error *error);
/* At a mark: passes on what is certainly in order. */
int perf_window_mark(struct perf_window *w, struct perf_blocks *blocks, perf_timed_fn *each, void *user,
                     struct apf_error *error);
/* Passes on the older half of the records, or all. */
int perf_window_shrink(struct perf_window *w, bool all, struct perf_blocks *blocks, perf_timed_fn *each,
                       void *user, struct apf_error *error);

#endif
