/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Samples of a program that BOLT wrote become those that its original would have had. */
#ifndef PROFGEN_PROFGEN_FOLLOW_H
#define PROFGEN_PROFGEN_FOLLOW_H

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
/* Follows a sample. `result` gets the branches, with gaps, and the frames, which stay until the next call. */
int profgen_follow(struct profgen_follower *f, const struct profgen_sample *sample,
                   struct profgen_sample *result, struct apf_error *error);
/* The address in the original of any instruction; PROFGEN_OUTSIDE: there is none. */
uint64_t profgen_follow_address(struct profgen_follower *f, uint64_t address);

#endif
