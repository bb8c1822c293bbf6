/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Goes through several sorted streams in step, and takes what is equal in them together. */
#ifndef PARTIAL_PARTIAL_PASS_H
#define PARTIAL_PARTIAL_PASS_H

#include <anyprof/error.h>

#include "base/heap.h"

struct partial_pass {
    void *context;  /* of the functions below */
    uint32_t n;     /* streams */
    uint32_t *heap; /* of those that have more */
    size_t n_heap;
    uint32_t *taken; /* those that are equal */
    size_t n_taken;
};

/* Makes room for n streams. False: an allocation failed. partial_pass_free must follow either way. */
bool partial_pass_make(struct partial_pass *p, uint32_t n, void *context);
void partial_pass_free(struct partial_pass *p);

/* What one pass does; all get the context. */
struct partial_pass_steps {
    int (*next)(void *context, uint32_t stream, bool *more); /* goes to the next thing of a stream */
    heap_before *before;                                     /* whether the thing of a stream comes first */
    int (*take)(void *context); /* of p->taken; the first of them is the first one of the streams */
};

/* Returns the first code of a step that is not APF_OK. */
int partial_pass_run(struct partial_pass *p, const struct partial_pass_steps *steps);

#endif
