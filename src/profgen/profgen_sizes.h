/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Sizes of functions in bytes of code, where they are inlined and where they are not. */
#ifndef PROFGEN_PROFGEN_SIZES_H
#define PROFGEN_PROFGEN_SIZES_H

#include "profgen/profgen_tree.h"

struct profgen_counts;
struct profgen_program;

/* A function that is called by a chain of calls, from inside: its parent is what it calls. */
struct profgen_size {
    uint64_t at; /* the place of the call in it; 0 where nothing is called */
    uint32_t callee, name;
    uint32_t bytes;
    bool known;
    uint64_t least_key; /* of its callers the one that LLVM looks at first ... */
    uint32_t least;     /* ... PROFGEN_NOWHERE: it has none */
};

/* All zero = empty. */
struct profgen_sizes {
    VEC(struct profgen_size) list;
    /* Of the functions that call nothing the one that LLVM looks at first, if there is any. */
    uint64_t least_key;
    uint32_t least;
    struct hash_index index;
};

/* Measures all functions in which something was sampled, by the names of a profile. */
int profgen_sizes_open(struct profgen_sizes *sizes, const struct profgen_program *p,
                       const struct profgen_counts *c, struct apf_sample *s, struct apf_error *error);
void profgen_sizes_close(struct profgen_sizes *sizes);
/* The size of a function of a tree: in its context, else in the part of it that is known, else in another one; if it
 * has no code anywhere, LLVM takes the size of another function. */
uint32_t profgen_sizes_find(const struct profgen_sizes *sizes, const struct profgen_tree *t,
                            uint32_t function);

#endif
