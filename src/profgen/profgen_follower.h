/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Where control is in the original of a program that BOLT wrote, while a sample is followed, and what it becomes. */
#ifndef PROFGEN_PROFGEN_FOLLOWER_H
#define PROFGEN_PROFGEN_FOLLOWER_H

#include "profgen/profgen_finish.h"
#include "profgen/profgen_paths.h"
#include "profgen/profgen_traces.h"

/* What became of the branches of recorded stacks: sums of the samples' counts. */
struct profgen_follow_counts {
    uint64_t branches; /* of them: */
    uint64_t moved;    /* an end is in code that BOLT moved */
    uint64_t unknown;  /* an end is in code that the original does not have, or that is not known */
    uint64_t removed;  /* the original has no branch for them */
    /* Of the original: */
    uint64_t added;   /* branches that it takes, and BOLT's output does not */
    uint64_t inlined; /* calls that BOLT inlined: what ran in them is lost */
    uint64_t lost;    /* places where it is not known how control went */
};

/* What an instruction of the original does to the flow of control. */
struct follow_flow {
    uint64_t address;
    uint64_t target; /* of a direct jump */
    enum instruction_kind kind;
    bool known;
    bool direct; /* it is a direct jump */
    bool leads_out;
};

/* What was looked up last, by parts of addresses. */
#define FOLLOW_CACHE ((size_t)8192)
struct follow_cache {
    struct bolted_place places[FOLLOW_CACHE];
    struct follow_flow flows[FOLLOW_CACHE];
};

enum follow_state {
    FOLLOW_LOST,    /* nothing is known */
    FOLLOW_OUTSIDE, /* control has left the program */
    FOLLOW_HERE     /* it is in the program */
};

struct profgen_follower {
    const struct profgen_bolted *bolted; /* the caller's; NULL: the follower is not open */
    struct follow_cache *cache;
    struct profgen_paths paths;
    struct profgen_follow_counts counts;
    VEC(struct address_pair) branches; /* of the sample, the oldest first, at last the newest */
    VEC(uint64_t) frames;
    /* Of the present stack: */
    uint64_t count; /* of the sample */
    enum follow_state state;
    struct bolted_place place; /* where control came to last, in BOLT's output ... */
    uint32_t next;             /* ... number of the first entry of its fragment that has not been passed */
    uint64_t at;               /* the instruction of the original to which control has come */
    uint64_t block;            /* the beginning of its block */
    bool open;                 /* the last pair of `branches` says where the present run began */
    bool at_branch;            /* `at` is the branch that is taken next */
    bool in_stub;              /* control is in code of BOLT's own, on the way from `at` */
    uint64_t stub;             /* ... the address where it came there */
    uint64_t newest;           /* place in the original of the target of the newest branch; PROFGEN_OUTSIDE */
};

/* profgen_follower_free must follow, also after a failure. */
int profgen_follower_open(struct profgen_follower *f, const struct profgen_bolted *bolted,
                          struct apf_error *error);
void profgen_follower_free(struct profgen_follower *f);

static inline void profgen_follower_count(uint64_t *sum, uint64_t count)
{
    *sum = profgen_sum(*sum, count);
}

/* profgen_bolted_find. */
struct bolted_place profgen_follower_place(struct profgen_follower *f, uint64_t address);
/* Valid until the next call. */
const struct follow_flow *profgen_follower_flow(struct profgen_follower *f, uint64_t address);

/* The functions below add to the branches: one with a context, a branch, a gap of which nothing is known but the
 * instructions before and after it, and those of a path. */
int profgen_follower_pair(struct profgen_follower *f, uint64_t from, uint64_t to, uint32_t context,
                          struct apf_error *error);
int profgen_follower_branch(struct profgen_follower *f, uint64_t from, uint64_t to, struct apf_error *error);
int profgen_follower_gap(struct profgen_follower *f, uint64_t last, uint64_t first, struct apf_error *error);
int profgen_follower_path(struct profgen_follower *f, const struct profgen_path *path,
                          struct apf_error *error);
/* Counts n branches that only the original takes. */
void profgen_follower_added(struct profgen_follower *f, uint32_t n);

/* Finds the path from where control is. */
int profgen_follower_find(struct profgen_follower *f, uint64_t to, struct profgen_path *path,
                          struct apf_error *error);
/* Whether an address is before `at` in the same block: the code there is the rest of a block that BOLT has cut in
 * two. */
bool profgen_follower_is_behind(const struct profgen_follower *f, uint64_t address);

#endif
