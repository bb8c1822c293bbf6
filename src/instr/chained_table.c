/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "instr/chained_table.h"

#include <stdlib.h>
#include <string.h>

/* ---- the table on disk ---- */

static void push(struct chained_table *t, uint32_t item)
{
    size_t b = (size_t)t->hashes[item] & (t->n_buckets - 1);
    t->next[item] = t->heads[b];
    t->heads[b] = item;
}

/* Moves every item, bucket by bucket from the head on, to the front of its new bucket. */
static bool resize(struct chained_table *t, size_t n_buckets)
{
    uint32_t *old = t->heads;
    size_t n_old = t->n_buckets;
    uint32_t *heads = malloc(n_buckets * sizeof *heads);
    if (!heads)
        return false;
    memset(heads, 0xff, n_buckets * sizeof *heads);
    t->heads = heads;
    t->n_buckets = n_buckets;
    for (size_t b = 0; b < n_old; b++)
        for (uint32_t item = old[b], next; item != CHAINED_END; item = next) {
            next = t->next[item];
            push(t, item);
        }
    free(old);
    return true;
}

static size_t final_size(size_t n)
{
    size_t size = 1, want = 4 * n / 3;
    if (n <= 2)
        return 1;
    while (size <= want)
        size *= 2;
    return size;
}

bool chained_table_make(struct chained_table *t, const uint64_t *hashes, size_t n)
{
    memset(t, 0, sizeof *t);
    t->hashes = hashes;
    t->next = malloc(n * sizeof *t->next + 1);
    bool ok = t->next && resize(t, 64);
    for (size_t i = 0; ok && i < n; i++) {
        t->n++;
        if (4 * t->n >= 3 * t->n_buckets)
            ok = resize(t, 2 * t->n_buckets);
        if (ok)
            push(t, (uint32_t)i);
    }
    size_t size = final_size(n);
    return ok && (size == t->n_buckets || resize(t, size));
}

void chained_table_free(struct chained_table *t)
{
    free(t->heads);
    free(t->next);
    memset(t, 0, sizeof *t);
}

/* ---- the map in memory ---- */

static uint32_t map_hash(uint64_t x, bool old_mix)
{
    if (old_mix)
        return (uint32_t)(x * 37);
    x *= 0xbf58476d1ce4e5b9u;
    return (uint32_t)(x ^ (x >> 31));
}

static void map_put(uint32_t *slots, size_t n_slots, const uint64_t *hashes, uint32_t item, bool old_mix)
{
    size_t at = map_hash(hashes[item], old_mix) & (n_slots - 1);
    for (size_t step = 1; slots[at] != CHAINED_END; step++)
        at = (at + step) & (n_slots - 1);
    slots[at] = item;
}

static uint32_t *map_slots(size_t n_slots)
{
    uint32_t *slots = malloc(n_slots * sizeof *slots);
    if (slots)
        memset(slots, 0xff, n_slots * sizeof *slots);
    return slots;
}

/* The map starts with 4 slots inside itself; when it outgrows them it gets at least 64. */
bool hash_map_order(const uint64_t *hashes, size_t n, bool old_mix, uint32_t *order)
{
    size_t n_slots = 4;
    uint32_t *slots = map_slots(n_slots);
    for (size_t i = 0; slots && i < n; i++) {
        if (4 * (i + 1) >= 3 * n_slots) {
            size_t grown = 2 * n_slots < 64 ? 64 : 2 * n_slots;
            uint32_t *fresh = map_slots(grown);
            for (size_t s = 0; fresh && s < n_slots; s++)
                if (slots[s] != CHAINED_END)
                    map_put(fresh, grown, hashes, slots[s], old_mix);
            free(slots);
            slots = fresh;
            n_slots = grown;
        }
        if (slots)
            map_put(slots, n_slots, hashes, (uint32_t)i, old_mix);
    }
    size_t done = 0;
    bool ok = slots != NULL;
    for (size_t s = 0; ok && s < n_slots; s++)
        if (slots[s] != CHAINED_END)
            order[done++] = slots[s];
    free(slots);
    return ok;
}
