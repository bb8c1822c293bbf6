/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Which records inputs have, by digests of the room that merges. Sums do not know their inputs; where records
 * contradict each other, and some are left out, rosters say what each input has lost, also when it cannot be read
 * again. Inputs with the same roster, as most instrumentation profiles of one program, share it. */
#ifndef INPUTS_ROSTERS_H
#define INPUTS_ROSTERS_H

#include "base/arena.h"
#include "base/file_identity.h"
#include "base/hash_index.h"
#include "base/vec.h"

/* Digests of records, sorted. */
struct roster {
    struct file_digest id; /* of the digests */
    const uint64_t *digests;
    size_t n;
};

/* All zero = empty. */
struct rosters {
    VEC(struct roster) list;
    struct hash_index index; /* by id */
    struct arena arena;
};

/* In place of the number of a roster that is not known. */
#define ROSTER_NONE UINT32_MAX
/* The most bytes of all rosters; further ones are not kept. */
#define ROSTERS_MOST_BYTES ((size_t)64 << 20)

/* Finds the number of a roster of n sorted digests, and keeps a copy of a new one. */
int rosters_add(struct rosters *r, const uint64_t *digests, size_t n, uint32_t *number,
                struct apf_error *error);
/* The number of the roster with an id, or ROSTER_NONE. */
uint32_t rosters_find(const struct rosters *r, const struct file_digest *id);
void rosters_free(struct rosters *r);

#endif
