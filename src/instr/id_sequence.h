/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What was seen first, whatever the order of the inputs.
 *
 * Some outputs go by the order in which their entries were first seen. That must not be the order of the inputs, so
 * inputs are ranked by what they hold: the one with more records first, of equals by a digest of their ids in order.
 * Entries are then in the order in which they would be seen if the inputs came by rank. Runs of one program have the
 * same ids in the same order, and so the same rank. */
#ifndef INSTR_ID_SEQUENCE_H
#define INSTR_ID_SEQUENCE_H

#include <stdbool.h>
#include <stdint.h>

/* The digest of a sequence is a polynomial of its ids: that of two in a row follows from both. It is not keyed, since
 * outputs depend on it; ids that were made to collide get another order, and harm nothing. */
struct id_sequence {
    uint64_t digest;
    uint32_t n;
};

/* Where an entry stands: the rank of an input, and the place in it. Of several inputs that have it, the first. */
struct first_seen {
    uint64_t rank;
    uint32_t place;
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

/* Makes *to the earlier of both. */
static inline void first_seen_note(struct first_seen *to, struct first_seen other)
{
    if (first_seen_before(&other, to))
        *to = other;
}

#endif
