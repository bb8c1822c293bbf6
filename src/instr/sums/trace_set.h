/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Temporal traces of a merge.
 *
 * A single input with traces is treated as in LLVM, including its random choices. LLVM's result for several inputs
 * depends on their order; this one depends neither on it nor on how sets were joined. Equal traces of inputs that are
 * equal, too, as far as their source says, form a group. A group gets ranks from its content, one for each of its
 * traces, which rise; the traces with the lowest ranks stay, and are written in order of content. So a group without a
 * trace among the lowest never gets one, whatever is added, and can be forgotten. Of groups with one trace each the
 * choice is uniform; of larger ones each gets about as many places as the others. */
#ifndef INSTR_TRACE_SET_H
#define INSTR_TRACE_SET_H

#include "base/arena.h"
#include "base/vec.h"
#include "instr/sums/renames.h"

#include <anyprof/instr.h>

#define TRACE_RESERVOIR 100u
#define TRACE_LENGTH 10000u

struct trace_group {
    struct apf_trace trace; /* owns its ids */
    uint64_t source;
    uint64_t n; /* traces in it */
};

struct trace_set {
    uint64_t reservoir, length; /* limits; 0 is no default here */
    uint64_t inputs;            /* inputs that had traces */
    uint64_t stream_size;
    VEC(struct trace_group) groups; /* of several inputs */
    struct hash_index index;        /* of the groups */
    /* The first input, unchanged until a second one comes. */
    VEC(struct apf_trace) only;
    uint64_t only_stream, only_source;
};

/* Adds the traces of one input with their weights. `source` is a digest of the input, of whatever is at hand. */
int trace_set_add(struct trace_set *t, const struct apf_trace *traces, size_t n, uint64_t stream_size,
                  uint64_t source, struct apf_error *error);
/* Adds what was added to another set, which has the same limits. */
int trace_set_join(struct trace_set *to, const struct trace_set *from, struct apf_error *error);
/* Drops what cannot stay, and sorts the groups by content and source: then equal sets are equal. False: an allocation
 * failed. */
bool trace_set_settle(struct trace_set *t) MUST_USE;
/* Appends to a set whose `inputs` is set already: to `only` for 1, else a group. Adopts the ids of the trace, also on a
 * failure, an allocation's. */
bool trace_set_push(struct trace_set *t, struct trace_group group) MUST_USE;
/* The result, in the arena, with renamed ids. */
int trace_set_finish(const struct trace_set *t, const struct renames *renames, struct arena *arena,
                     struct apf_trace **traces, size_t *n, uint64_t *stream_size, struct apf_error *error);
void trace_set_free(struct trace_set *t);

#endif
