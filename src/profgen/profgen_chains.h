/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Chains of calls, each once: the address where a function was called, where its caller was called, and so on. */
#ifndef PROFGEN_PROFGEN_CHAINS_H
#define PROFGEN_PROFGEN_CHAINS_H

#include "base/hash_index.h"
#include "base/vec.h"

/* The most calls in a chain, and callers in a context; longer ones are cut. With the function itself and one that it
 * calls, they are SAMPLE_MAX_DEPTH: profiles with longer contexts are not read. */
#define PROFGEN_LONGEST_CHAIN 998u
/* The chain without calls. */
#define PROFGEN_NO_CHAIN 0u

struct profgen_chain {
    uint64_t call;  /* the address of the innermost call */
    uint32_t outer; /* the chain of the function that calls */
    uint32_t depth; /* number of calls */
};

/* All zero = only the chain without calls. */
struct profgen_chains {
    VEC(struct profgen_chain) list; /* of the chain with the number i + 1 */
    struct hash_index index;
};

/* A frame of a context: of a chain the address of a call, of a context with names the place of one in a function. */
struct profgen_frame {
    uint64_t at;
    uint32_t name;
};
struct profgen_frames {
    VEC(struct profgen_frame) list; /* the outermost first */
};

void profgen_chains_free(struct profgen_chains *c);
/* Adds a chain, unless it is there. */
int profgen_chains_add(struct profgen_chains *c, uint32_t outer, uint64_t call, uint32_t *number,
                       struct apf_error *error);
/* A chain; that without calls has the call 0. */
static inline struct profgen_chain profgen_chain_at(const struct profgen_chains *c, uint32_t number)
{
    struct profgen_chain none = {0, PROFGEN_NO_CHAIN, 0};
    return number == PROFGEN_NO_CHAIN ? none : c->list.data[number - 1];
}
/* The calls of a chain. */
int profgen_chains_unfold(const struct profgen_chains *c, uint32_t number, struct profgen_frames *frames,
                          struct apf_error *error);
/* Adds the chain of frames. */
int profgen_chains_fold(struct profgen_chains *c, const struct profgen_frames *frames, uint32_t *number,
                        struct apf_error *error);

/* Leaves one of sequences of frames that follow each other and are equal, of 1, 2, ... and at most `longest` frames, as
 * llvm-profgen does: which recursive functions leave. */
void profgen_compress(struct profgen_frames *frames, size_t longest);
/* Leaves the last n frames. */
void profgen_keep_last(struct profgen_frames *frames, size_t n);

#endif
