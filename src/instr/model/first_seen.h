/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The place where an entry was first seen, independent of the order of the inputs.
 *
 * Some outputs list entries in the order in which they were first seen. That order must not depend on the order of the
 * inputs, so an input gets a rank from its content: inputs with more records rank first, and those with as many by a
 * digest of the sequence of their ids. Entries then stand as if the inputs had come by rank. Runs of one program have
 * the same ids in the same order, and so the same rank. */
#ifndef INSTR_FIRST_SEEN_H
#define INSTR_FIRST_SEEN_H

#include <stdbool.h>
#include <stdint.h>

/* The digest of a sequence is a polynomial of its ids, so that the digests of two sequences give that of both in a row.
 * It is not keyed, since outputs depend on it; ids that were made to collide get another order and do no harm. */
struct id_sequence {
    uint64_t digest;
    uint32_t n;
};

struct first_seen {
    uint64_t rank;  /* the lowest rank of the inputs that have the entry */
    uint32_t place; /* number of the record in that input */
};

#define ID_SEQUENCE_BASE 0x9E3779B97F4A7C15u

static inline struct id_sequence id_sequence_empty(void)
{
    struct id_sequence s = {0, 0};
    return s;
}

static inline void id_sequence_add(struct id_sequence *s, uint64_t id)
{
    s->digest = s->digest * ID_SEQUENCE_BASE + id;
    s->n++;
}

static inline void id_sequence_join(struct id_sequence *s, const struct id_sequence *behind)
{
    uint64_t square = ID_SEQUENCE_BASE;
    for (uint32_t n = behind->n; n; n >>= 1, square *= square)
        s->digest *= n & 1 ? square : 1; /* by the base to the power of n */
    s->digest += behind->digest;
    s->n += behind->n;
}

static inline uint64_t id_sequence_rank(const struct id_sequence *s)
{
    return (uint64_t)~s->n << 32 | s->digest >> 32;
}

static inline struct first_seen first_seen_never(void)
{
    struct first_seen never = {UINT64_MAX, UINT32_MAX};
    return never;
}

static inline bool first_seen_before(const struct first_seen *a, const struct first_seen *b)
{
    return a->rank != b->rank ? a->rank < b->rank : a->place < b->place;
}

/* Sets *to to the earlier one of both. */
static inline void first_seen_min(struct first_seen *to, struct first_seen other)
{
    if (first_seen_before(&other, to))
        *to = other;
}

#endif
