/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Inside of the fast path: shared by raw_shape_learn.c and raw_shape_add.c only. */
#ifndef INSTR_RAW_SHAPE_STATE_H
#define INSTR_RAW_SHAPE_STATE_H

#include "instr/raw_shape.h"
#include "instr/raw_targets.h"

struct shape_function {
    uint64_t id, hash;
    uint64_t slot;         /* of the first count */
    uint64_t timestamp_at; /* byte offset in the counter section, or UINT64_MAX */
    uint32_t n_counts, n_bitmap;
    uint64_t bitmap;
    uint32_t n_sites[APF_VALUE_KINDS];
    uint32_t site; /* of the first site in `sites` */
};

struct raw_shape {
    struct raw_shape *next; /* of the retired ones */
    pthread_mutex_t lock;   /* of what is summed */
    struct arena arena;
    /* What a file is compared with. `reference` points into copies of the first file's sections. */
    struct raw_part reference;
    const uint8_t *data, *names, *vtables, *vtable_names;
    const uint64_t *mask;       /* of each word of a record: bits that must be equal */
    struct raw_targets targets; /* by the reference's addresses */
    uint64_t nameless, digest;  /* digest: chooses candidates */
    struct release_clues clues;
    /* Its functions. */
    struct shape_function *functions;
    size_t n_functions, n_slots;
    const uint32_t *with_sites; /* numbers of the functions that have sites */
    size_t n_with_sites, n_sites;
    /* Targets of the first file, in its order: those of site i are memo[memo_at[i]] up to memo[memo_at[i + 1]].
     * A further file mostly has the same ones in the same order, which saves looking them up. */
    struct raw_address *memo;
    uint32_t *memo_at;
    /* The sums. */
    uint64_t *sums;
    uint8_t *bitmap;
    struct value_list *sites;
    uint64_t adds, weight;
    uint64_t bound; /* no sum is larger than this */
};

/* Shapes that look alike at first sight; more are not compared, and not learnt. */
#define MOST_CANDIDATES 8u

struct shapes {
    pthread_mutex_t lock; /* of everything here; a shape that is listed never changes but for its sums */
    VEC(struct raw_shape *) list;
    struct hash_index index; /* by what can be seen at a glance */
    struct raw_shape *retired;
    uint64_t bytes;
};

/* The shapes a profile may have, at most MOST_CANDIDATES of them. The lock must be held, and there must be a list. */
unsigned shapes_candidates(const struct shapes *s, const struct raw_part *part,
                           struct raw_shape *candidates[MOST_CANDIDATES]);

#endif
