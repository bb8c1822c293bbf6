/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "base/hash_index.h"

#include <stdlib.h>
#include <sys/random.h>

#include "base/error.h"
#include "base/large.h"

#define FIRST_SLOTS ((size_t)16)

static void insert_slot(uint64_t *slots, size_t mask, uint64_t slot)
{
    size_t pos = (size_t)(slot >> 32) & mask;
    while (slots[pos])
        pos = (pos + 1) & mask;
    slots[pos] = slot;
}

static bool grow_slots(struct hash_index *h, size_t slots)
{
    void *block;
    uint64_t *fresh = large_zeros(slots * sizeof *h->slots, &block);
    if (!fresh)
        return false;
    for (size_t i = 0; h->slots && i <= h->mask; i++)
        if (h->slots[i])
            insert_slot(fresh, slots - 1, h->slots[i]);
    free(h->block);
    h->block = block;
    h->slots = fresh;
    h->mask = slots - 1;
    return true;
}

uint64_t hash_random_key(void)
{
    uint64_t key;
    /* Without random bits a table works, but is easier to attack. */
    if (getrandom(&key, sizeof key, GRND_NONBLOCK) != (ssize_t)sizeof key)
        key = (uint64_t)(uintptr_t)&key;
    return key | 1;
}

bool hash_index_reserve(struct hash_index *h, size_t more)
{
    size_t need;
    if (ADD_OVERFLOWS(h->n, more, &need))
        need = SIZE_MAX;
    h->refused = need > HASH_MOST_ENTRIES ? need : 0;
    if (h->refused)
        return false;
    if (!h->key)
        h->key = hash_random_key();
    size_t slots = h->slots ? h->mask + 1 : FIRST_SLOTS;
    while (slots / 2 < need)
        slots *= 2;
    return (h->slots && slots == h->mask + 1) || grow_slots(h, slots);
}

int hash_refused_error(size_t refused, struct apf_error *error)
{
    struct error_at at = {"memory.entries", NO_OFFSET, refused, HASH_MOST_ENTRIES};
    return refused ? error_at(error, APF_LIMIT, at, "too many entries for one table") : error_memory(error);
}

int hash_index_error(const struct hash_index *h, struct apf_error *error)
{
    return hash_refused_error(h->refused, error);
}

void hash_index_add(struct hash_index *h, uint64_t hash, uint32_t entry)
{
    insert_slot(h->slots, h->mask, (hash & ~(uint64_t)UINT32_MAX) | ((uint64_t)entry + 1));
    h->n++;
}

void hash_index_clear(struct hash_index *h)
{
    /* slots of a large use before are not cleared again and again for small ones */
    if (h->slots && h->mask / 64 > h->n)
        hash_index_free(h);
    else if (h->slots && h->n)
        memset(h->slots, 0, (h->mask + 1) * sizeof *h->slots);
    h->n = 0;
}

void hash_index_free(struct hash_index *h)
{
    free(h->block);
    h->block = NULL;
    h->slots = NULL;
    h->mask = h->n = h->refused = 0;
}
