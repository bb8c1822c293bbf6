/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "instr/chained_table.h"

#include <stdlib.h>
#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

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

/* ---- the maps in memory ---- */

/* LLVM's open-addressing tables, which are walked in the order of their slots. From its home slot an item goes on by
 * 1, 2, 3, ... slots to the first free one. Nothing is ever taken out, so where the last item of the same home ended
 * the next one may begin: hashes that were made to collide cost no more than others. */
struct map {
    uint32_t *slots; /* CHAINED_END: free */
    uint32_t *steps; /* how many places, from each home, are known to be taken */
    size_t n_slots;
    const uint32_t *hashes; /* of each item */
};

static bool map_start(struct map *m, size_t n_slots, const uint32_t *hashes)
{
    m->slots = malloc(n_slots * sizeof *m->slots);
    m->steps = calloc(n_slots, sizeof *m->steps);
    m->n_slots = n_slots;
    m->hashes = hashes;
    if (m->slots)
        memset(m->slots, 0xff, n_slots * sizeof *m->slots);
    return m->slots && m->steps;
}

static void map_free(struct map *m)
{
    free(m->slots);
    free(m->steps);
}

static void map_put(struct map *m, uint32_t item)
{
    size_t mask = m->n_slots - 1, home = m->hashes[item] & mask, step = m->steps[home];
    size_t at = (home + step * (step + 1) / 2) & mask;
    while (m->slots[at] != CHAINED_END)
        at = (at + ++step) & mask;
    m->slots[at] = item;
    m->steps[home] = (uint32_t)step + 1;
}

/* The items move in the order of their slots. */
static bool map_grow(struct map *m, size_t n_slots)
{
    struct map old = *m;
    bool ok = map_start(m, n_slots, old.hashes);
    for (size_t s = 0; ok && s < old.n_slots; s++)
        if (old.slots[s] != CHAINED_END)
            map_put(m, old.slots[s]);
    map_free(&old);
    return ok;
}

static void map_walk(const struct map *m, uint32_t *order)
{
    for (size_t s = 0; s < m->n_slots; s++)
        if (m->slots[s] != CHAINED_END)
            *order++ = m->slots[s];
}

static uint32_t map_hash(uint64_t x, bool old_mix)
{
    if (old_mix)
        return (uint32_t)(x * 37);
    x *= 0xbf58476d1ce4e5b9u;
    return (uint32_t)(x ^ (x >> 31));
}

#define HASH_MAP_FIRST 4u   /* slots inside the map itself; */
#define HASH_MAP_SECOND 64u /* when it outgrows them it gets at least so many */

bool hash_map_order(const uint64_t *hashes, size_t n, bool old_mix, uint32_t *order)
{
    struct map m = {0};
    uint32_t *mixed = malloc(n * sizeof *mixed + 1);
    bool ok = mixed && map_start(&m, HASH_MAP_FIRST, mixed);
    for (size_t i = 0; ok && i < n; i++) {
        mixed[i] = map_hash(hashes[i], old_mix);
        if (4 * (i + 1) >= 3 * m.n_slots) /* before it is too full */
            ok = map_grow(&m, 2 * m.n_slots < HASH_MAP_SECOND ? HASH_MAP_SECOND : 2 * m.n_slots);
        if (ok)
            map_put(&m, (uint32_t)i);
    }
    if (ok)
        map_walk(&m, order);
    map_free(&m);
    free(mixed);
    return ok;
}

#define STRING_MAP_FIRST 16u

bool string_map_order(const struct apf_str *names, size_t n, uint32_t *order)
{
    struct map m = {0};
    uint32_t *hashes = malloc(n * sizeof *hashes + 1);
    bool ok = hashes && map_start(&m, STRING_MAP_FIRST, hashes);
    for (size_t i = 0; ok && i < n; i++) {
        hashes[i] = (uint32_t)XXH3_64bits(names[i].p, names[i].n);
        map_put(&m, (uint32_t)i);
        if (4 * (i + 1) > 3 * m.n_slots) /* after it is too full */
            ok = map_grow(&m, 2 * m.n_slots);
    }
    if (ok)
        map_walk(&m, order);
    map_free(&m);
    free(hashes);
    return ok;
}
