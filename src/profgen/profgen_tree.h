/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Contexts of a profile as a tree that changes: parts of it move to the top level. */
#ifndef PROFGEN_PROFGEN_TREE_H
#define PROFGEN_PROFGEN_TREE_H

#include "sample/model/sample_profile.h"

/* In place of the number of a function: there is none, or of that of a caller: the function is at the top level. */
#define PROFGEN_NOWHERE UINT32_MAX

struct profgen_call {
    uint64_t at; /* the place of the call in the caller; 0 at the top level */
    uint32_t name;
    uint32_t caller;       /* PROFGEN_NOWHERE: at the top level */
    uint32_t first;        /* a function that it calls, or PROFGEN_NOWHERE */
    uint32_t next, before; /* others that its caller calls */
    uint32_t node;         /* of the profile; SAMPLE_NONE: no counts */
};

struct profgen_tree {
    struct apf_sample *s;
    VEC(struct profgen_call) list; /* at first by contexts, whose numbers they have */
    struct hash_index index;
    /* The function of each node of the profile; PROFGEN_NOWHERE: it has become part of another one. */
    uint32_t *places;
};

/* Makes the tree of a sealed profile with contexts. profgen_tree_close must follow, also after a failure. */
int profgen_tree_open(struct profgen_tree *t, struct apf_sample *s, struct apf_error *error);
void profgen_tree_close(struct profgen_tree *t);
/* PROFGEN_NOWHERE: there is none. */
uint32_t profgen_tree_find(const struct profgen_tree *t, uint32_t caller, uint64_t at, uint32_t name);
/* Moves a function, and all that it calls, to the top level; what is there already is added up. Its number, or that of
 * the function it became a part of, is *to. Lists of nodes may become unsorted. */
int profgen_tree_raise(struct profgen_tree *t, uint32_t function, uint32_t *to, struct apf_error *error);
/* LLVM's order of functions that one caller calls: by a number that is made of the name and the place. */
uint64_t profgen_call_key(const struct apf_sample *s, uint32_t name, uint64_t at);
/* Gives the functions of the tree that have counts their contexts, and leaves no other ones. The profile is sealed. */
int profgen_tree_finish(struct profgen_tree *t, struct apf_error *error);

#endif
