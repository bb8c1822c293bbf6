/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Temporal traces of a merge.
 *
 * A single input with traces is treated as in LLVM, including its random choices. LLVM's result for several inputs
 * depends on their order; this one does not: every trace gets a rank from its content, the lowest ranks stay, and they
 * are written in order of content. */
#ifndef INSTR_TRACE_SET_H
#define INSTR_TRACE_SET_H

#include "base/arena.h"
#include "base/vec.h"
#include "instr/merge/renames.h"

#include <anyprof/instr.h>

#define TRACE_RESERVOIR 100u
#define TRACE_LENGTH 10000u

struct ranked_trace {
    struct apf_trace trace; /* owns its ids */
    uint64_t rank;
};

struct content_count {
    uint64_t content, seen;
};

struct trace_set {
    uint64_t reservoir, length; /* limits; 0 is no default here */
    uint64_t inputs;            /* inputs that had traces */
    uint64_t stream_size;
    VEC(struct ranked_trace) kept;
    /* The number of traces of each content: equal traces must get different ranks. */
    VEC(struct content_count) contents;
    struct hash_index index;
    /* The first input, unchanged until a second one comes. */
    VEC(struct apf_trace) only;
    uint64_t only_stream;
};

/* Adds the traces of one input with their weights. */
int trace_set_add(struct trace_set *t, const struct apf_trace *traces, size_t n, uint64_t stream_size,
                  struct apf_error *error);
/* The result, in the arena, with renamed ids. */
int trace_set_finish(const struct trace_set *t, const struct renames *renames, struct arena *arena,
                     struct apf_trace **traces, size_t *n, uint64_t *stream_size, struct apf_error *error);
void trace_set_free(struct trace_set *t);

#endif
