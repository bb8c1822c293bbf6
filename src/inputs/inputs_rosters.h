/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Which records inputs have. Sums do not know their inputs; where records contradict each other, and some are left out,
 * rosters say what each input has lost, also when it cannot be read again. Inputs of one program mostly have the same
 * roster, which is kept once. */
#ifndef INSTR_ROSTERS_H
#define INSTR_ROSTERS_H

#include "base/file_identity.h"
#include "instr/sums/sum_table.h"

/* Digests of the structures of records, sorted; one for each record. */
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

/* The digest of an (id, hash) with one structure. It is part of the format of partial profiles. */
uint64_t roster_digest(uint64_t id, uint64_t hash, const struct sum_structure *of);
/* Finds the number of a roster of n sorted digests, and keeps a copy of a new one. */
int rosters_add(struct rosters *r, const uint64_t *digests, size_t n, uint32_t *number,
                struct apf_error *error);
/* The number of the roster with an id, or ROSTER_NONE. */
uint32_t rosters_find(const struct rosters *r, const struct file_digest *id);
void rosters_free(struct rosters *r);

#endif
