/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Inside of the fast path: shared by shape_learn.c, shape_match.c and shape_add.c only. */
#ifndef INSTR_SHAPE_STATE_H
#define INSTR_SHAPE_STATE_H

#include <string.h>

#include "instr/merge/shapes.h"
#include "instr/raw/raw_targets.h"

/* Two 64-bit words that one operation works on. */
typedef uint64_t word_pair VECTOR_OF(16);
static inline word_pair load_pair(const uint8_t *p)
{
    word_pair pair;
    memcpy(&pair, p, sizeof pair);
    return pair;
}

/* The value sites of a function. */
struct shape_sites {
    uint32_t n_sites[APF_VALUE_KINDS];
    uint32_t first; /* in `sites` of the shape */
};

/* A run of slots. */
struct slot_run {
    uint64_t first, n;
};

struct shape {
    pthread_mutex_t lock; /* protects the sums */
    struct arena arena;
    /* Files are compared with the reference, which points into copies of the first file's sections. */
    struct raw_profile reference;
    const uint8_t *data, *names, *vtables, *vtable_names;
    const uint64_t *mask;       /* bits of each word of a record that must be equal */
    struct raw_targets targets; /* keyed by the reference's addresses */
    uint64_t nameless;          /* records whose name is not among the profile's names */
    uint64_t digest;            /* chooses candidates */
    struct release_clues clues;
    /* The functions in order; their sums point into the blocks below. */
    struct sum *functions;
    size_t n_functions, n_slots;
    struct id_sequence ids;         /* ids of the functions */
    const uint64_t *timestamps;     /* byte offset of each function's in the counter section; NULL: none */
    uint64_t n_counters;            /* of all functions */
    const struct slot_run *unowned; /* slots of no function: timestamps, and gaps */
    size_t n_unowned;
    const struct shape_sites *with_sites;
    size_t n_with_sites, n_sites;
    /* Values of the first file, in its order: those of site i are memo[memo_at[i]] up to memo[memo_at[i + 1]]. Further
     * files mostly have equal values in equal order. Their counts are added up here, in one array, until shapes_settle
     * moves them to the lists of the sites. */
    struct raw_address *memo;
    uint64_t *memo_sums;
    bool *memo_listed; /* whether the list of the site has the value */
    uint32_t *memo_at;
    /* The sums. */
    uint64_t *sums;
    uint8_t *bitmap;
    struct value_list *sites;
    uint64_t adds, weight;
    struct first_seen seen; /* of the first function */
    uint64_t input;         /* the first input that has the shape */
    uint64_t bound;         /* no sum is larger than this */
    const uint64_t *roster; /* sorted digests of the functions; NULL: not made yet */
};

/* The place of a value that is not in the memo. */
#define NOT_IN_MEMO UINT32_MAX

/* The most shapes with one hash: further ones are not learnt. */
#define MOST_CANDIDATES 8u

struct shapes {
    pthread_mutex_t lock; /* protects this structure; listed shapes change only in their sums */
    VEC(struct shape *) list;
    struct hash_index index; /* by glance_hash */
    uint64_t bytes;
    VEC(uint64_t) learning; /* digests of files from which a thread is learning a shape */
    VEC(uint64_t) useless;  /* digests of files that the general path adds: learning did not help */
    struct hash_index useless_index;
    pthread_cond_t learnt; /* a thread has finished learning */
};

/* Finds at most MOST_CANDIDATES shapes that a profile may have. The lock must be held, and the list must not be
 * empty. */
unsigned shapes_candidates(const struct shapes *s, const struct raw_profile *part,
                           struct shape *candidates[MOST_CANDIDATES]);
/* Whether a profile has a shape: *slide is then the difference between its addresses and the reference's. Fills in what
 * the profile alone does not say: whether its distances are relative, and its timestamps. */
bool shape_matches(const struct shape *s, struct raw_profile *part, uint64_t *slide);

#endif
