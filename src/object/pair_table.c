/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "object/pair_table.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash_index.h"
#include "base/large.h"

#define FIRST_SLOTS ((size_t)32)

void pair_table_free(struct pair_table *t)
{
    free(t->block);
    *t = (struct pair_table){.key = t->key};
}

static size_t first_slot(const struct pair_table *t, uint64_t number)
{
    return (size_t)(hash_mix(t->key, number, 0) >> 32) & t->mask;
}

/* The slot of a number, or the free one where it belongs. */
static ALWAYS_INLINE struct sort_key *find_slot(const struct pair_table *t, size_t at, uint64_t number)
{
    while (t->slots[at].key != number && t->slots[at].key)
        at = (at + 1) & t->mask;
    return &t->slots[at];
}

static bool grow(struct pair_table *t, size_t slots)
{
    struct pair_table grown = {.mask = slots - 1, .n = t->n, .key = t->key};
    grown.slots = large_zeros(slots * sizeof *grown.slots, &grown.block);
    if (!grown.slots)
        return false;
    for (size_t i = 0; t->slots && i <= t->mask; i++)
        if (t->slots[i].key)
            *find_slot(&grown, first_slot(&grown, t->slots[i].key), t->slots[i].key) = t->slots[i];
    free(t->block);
    *t = grown;
    return true;
}

bool pair_table_reserve(struct pair_table *t, size_t more)
{
    size_t slots = t->slots ? t->mask + 1 : FIRST_SLOTS;
    if (LIKELY(t->slots && more <= slots / 2 - t->n))
        return true;
    if (more > HASH_MOST_ENTRIES - t->n) {
        t->refused = more;
        return false;
    }
    if (!t->key)
        t->key = hash_random_key();
    while (slots / 2 < t->n + more)
        slots *= 2;
    return grow(t, slots);
}

void pair_table_add(struct pair_table *t, const struct sort_key *more, size_t n)
{
    size_t first[PAIR_TABLE_BATCH];
    for (size_t i = 0; i < n; i++) {
        first[i] = first_slot(t, more[i].key);
        PREFETCH(&t->slots[first[i]]);
    }
    for (size_t i = 0; i < n; i++) {
        struct sort_key *slot = find_slot(t, first[i], more[i].key);
        const uint64_t count = more[i].value;
        t->n += !slot->key;
        slot->key = more[i].key;
        slot->value = count > UINT64_MAX - slot->value ? UINT64_MAX : slot->value + count;
    }
}

void pair_table_sort(struct pair_table *t)
{
    size_t n = 0;
    for (size_t i = 0; n < t->n; i++)
        if (t->slots[i].key)
            t->slots[n++] = t->slots[i];
    if (n) /* at most half of the slots are taken, so that the others are scratch memory */
        sort_keys(t->slots, t->slots + n, n);
}
