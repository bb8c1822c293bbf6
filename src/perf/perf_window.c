/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "perf/perf_window.h"

#include <string.h>

#include "base/error.h"
#include "base/sort.h"

void perf_window_free(struct perf_window *w, struct perf_blocks *blocks)
{
    for (size_t i = w->n_gone; i < w->list.n; i++)
        perf_block_release(blocks, w->list.data[i].raw.block);
    VEC_FREE(&w->list);
    *w = (struct perf_window){.n_sorted = 0};
}

int perf_window_add(struct perf_window *w, struct perf_blocks *blocks, const struct perf_timed *record,
                    struct apf_error *error)
{
    bool in_order = w->n_sorted == w->list.n && record->time >= w->newest;
    if (!VEC_PUSH(&w->list, *record)) {
        perf_block_release(blocks, record->raw.block);
        return error_memory(error);
    }
    w->n_sorted += in_order;
    w->last = record->time;
    w->newest = record->time > w->newest ? record->time : w->newest;
    w->n_late += record->time < w->passed;
    return APF_OK;
}

static bool is_earlier(const void *context, const void *a, const void *b)
{
    const struct perf_timed *x = a, *y = b;
    (void)context;
    return x->time < y->time;
}

/* Removes what was passed on from the list. */
static void drop_gone(struct perf_window *w)
{
    w->list.n -= w->n_gone;
    if (w->n_gone)
        memmove(w->list.data, w->list.data + w->n_gone, w->list.n * sizeof *w->list.data);
    w->n_gone = 0;
    w->n_sorted = w->list.n;
}

/* Passes on the first records: those up to a time, and at least n. */
static int pass_on(struct perf_window *w, uint64_t time, size_t n, struct perf_blocks *blocks,
                   perf_timed_fn *each, void *user, struct apf_error *error)
{
    int code = APF_OK;
    if (w->n_sorted < w->list.n && !SORT_VEC(&w->list, is_earlier, NULL))
        return error_memory(error);
    w->n_sorted = w->list.n;
    while (code == APF_OK && w->n_gone < w->list.n &&
           (w->n_gone < n || w->list.data[w->n_gone].time <= time)) {
        struct perf_timed record = w->list.data[w->n_gone++];
        w->passed = record.time > w->passed ? record.time : w->passed;
        code = each(user, &record, error);
        perf_block_release(blocks, record.raw.block);
    }
    drop_gone(w);
    return code;
}

int perf_window_mark(struct perf_window *w, struct perf_blocks *blocks, perf_timed_fn *each, void *user,
                     struct apf_error *error)
{
    int code = pass_on(w, w->mark, 0, blocks, each, user, error);
    w->mark = w->newest;
    return code;
}

int perf_window_shrink(struct perf_window *w, bool all, struct perf_blocks *blocks, perf_timed_fn *each,
                       void *user, struct apf_error *error)
{
    return pass_on(w, 0, all ? w->list.n : w->list.n / 2, blocks, each, user, error);
}
