/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Contexts: chains of calls that end in a function, each once, as a tree: a context is its caller's context, the place
 * of the call there, and the function that is called. A function without a known caller is a base context. LLVM also
 * keeps a place in the last frame, which is 0.0 in all files that tools write; here it has none. */
#ifndef SAMPLE_CONTEXTS_H
#define SAMPLE_CONTEXTS_H

#include "sample/model/sample_names.h"

struct sample_context {
    uint64_t at;     /* the place of the call in the caller: line << 32 | discriminator; 0 in base contexts */
    uint32_t caller; /* a context with a smaller number, or SAMPLE_NONE */
    uint32_t name;
    uint32_t depth; /* number of callers */
};

/* All zero = empty. */
struct sample_contexts {
    VEC(struct sample_context) list;
    VEC(uint32_t)
    base; /* base context of each name; SAMPLE_NONE: none. May be shorter than the list of names */
    struct hash_index index; /* of contexts with a caller */
};

void sample_contexts_free(struct sample_contexts *c);
void sample_contexts_reset(struct sample_contexts *c);
/* Adds the base context of a name, unless it is there. */
int sample_contexts_base(struct sample_contexts *c, uint32_t name, uint32_t *context,
                         struct apf_error *error);
/* Adds the context of a call, unless it is there; `caller` may be SAMPLE_NONE. */
int sample_contexts_add(struct sample_contexts *c, uint32_t caller, uint64_t at, uint32_t name,
                        uint32_t *context, struct apf_error *error);
/* The number of such a context, or SAMPLE_NONE. */
uint32_t sample_contexts_find(const struct sample_contexts *c, uint32_t caller, uint64_t at, uint32_t name);
/* Adds all contexts of another table, with the numbers of their names replaced by names[number]: map[i], which has room
 * for from->list.n numbers, becomes the number of context i. */
int sample_contexts_adopt(struct sample_contexts *to, const struct sample_contexts *from,
                          const uint32_t *names, uint32_t *map, struct apf_error *error);
/* The place of each context in LLVM's order (frame by frame by name, line and discriminator; a shorter one first):
 * *ranks has c->list.n numbers, which the caller frees. `name_ranks` is of sample_names_rank. */
int sample_contexts_rank(const struct sample_contexts *c, const uint32_t *name_ranks, uint32_t **ranks,
                         struct apf_error *error);

#endif
