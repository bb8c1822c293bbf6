/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Inside of the fast path: shared by shape_learn.c, shape_match.c and shape_add.c only. */
#ifndef INSTR_SHAPE_STATE_H
#define INSTR_SHAPE_STATE_H

#include <string.h>

#include "instr/merge/shapes.h"
#include "instr/raw/raw_targets.h"

/* Two 64-bit words, which are worked on as one. */
typedef uint64_t word_pair VECTOR_OF(16);
static inline word_pair load_pair(const uint8_t *p)
{
    word_pair pair;
    memcpy(&pair, p, sizeof pair);
    return pair;
}

/* The value sites of a function that has some. */
struct shape_sites {
    uint32_t n_sites[APF_VALUE_KINDS];
    uint32_t first; /* in `sites` of the shape */
};

/* A run of slots. */
struct slot_run {
    uint64_t first, n;
};

struct shape {
    pthread_mutex_t lock; /* of what is summed */
    struct arena arena;
    /* What a file is compared with. `reference` points into copies of the first file's sections. */
    struct raw_profile reference;
    const uint8_t *data, *names, *vtables, *vtable_names;
    const uint64_t *mask;       /* of each word of a record: bits that must be equal */
    struct raw_targets targets; /* by the reference's addresses */
    uint64_t nameless;          /* records whose name is not among its own */
    uint64_t digest;            /* chooses candidates */
    struct release_clues clues;
    /* Its functions, in order; their sums point into the blocks below. */
    struct sum *functions;
    size_t n_functions, n_slots;
    struct id_sequence ids;     /* theirs */
    const uint64_t *timestamps; /* byte offset of each one's in the counter section; NULL: there are none */
    uint64_t n_counters;        /* of all functions */
    const struct slot_run *unowned; /* slots of no function: timestamps, and gaps */
    size_t n_unowned;
    const struct shape_sites *with_sites;
    size_t n_with_sites, n_sites;
    /* Values of the first file, in its order: those of site i are memo[memo_at[i]] up to memo[memo_at[i + 1]]. Further
     * files mostly have the same ones in the same order. Their counts are added up here, in one array, and reach the
     * lists of the sites when all files are in: see shapes_settle. */
    struct raw_address *memo;
    uint64_t *memo_sums;
    bool *memo_listed; /* the list of its site has the value */
    uint32_t *memo_at;
    /* The sums. */
    uint64_t *sums;
    uint8_t *bitmap;
    struct value_list *sites;
    uint64_t adds, weight;
    struct first_seen seen; /* its first function */
    uint64_t bound;         /* no sum is larger than this */
};

/* The number of a value that is not in the memo; there are fewer. */
#define NOT_IN_MEMO UINT32_MAX

/* Shapes that look alike at first sight; more are not compared, and not learnt. */
#define MOST_CANDIDATES 8u

struct shapes {
    pthread_mutex_t lock; /* of everything here; a shape that is listed never changes but for its sums */
    VEC(struct shape *) list;
    struct hash_index index; /* by what can be seen at a glance */
    uint64_t bytes;
    VEC(uint64_t) learning; /* digests of files from which a shape is being learnt at this moment */
    VEC(uint64_t) useless;  /* digests of files for which learning did not help: they take the general path */
    struct hash_index useless_index;
    pthread_cond_t learnt; /* one of them is done */
};

/* The shapes a profile may have, at most MOST_CANDIDATES of them. The lock must be held, and there must be a list. */
unsigned shapes_candidates(const struct shapes *s, const struct raw_profile *part,
                           struct shape *candidates[MOST_CANDIDATES]);
/* Whether a profile has a shape: *slide is then what its addresses are larger by. Fills in what cannot be seen in the
 * profile alone: whether its distances are relative, and its timestamps. */
bool shape_matches(const struct shape *s, struct raw_profile *part, uint64_t *slide);

#endif
