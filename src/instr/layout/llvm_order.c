/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "instr/layout/llvm_order.h"

#include <stdlib.h>
#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

/* ---- the table on disk ---- */

#define NO_ITEM UINT32_MAX

/* A table while it grows: bucket b holds heads[b], next[heads[b]], ... up to NO_ITEM. */
struct chains {
    uint32_t *heads, *next;
    const uint64_t *hashes; /* the hash of each item */
    size_t n_buckets;
    struct arena *arena;
};

static void push_item(struct chains *c, uint32_t item)
{
    size_t b = (size_t)c->hashes[item] & (c->n_buckets - 1);
    c->next[item] = c->heads[b];
    c->heads[b] = item;
}

/* Moves every item, bucket by bucket from the head on, to the front of its new bucket. */
static bool resize_table(struct chains *c, size_t n_buckets)
{
    const uint32_t *old = c->heads;
    size_t n_old = c->n_buckets;
    uint32_t *heads = arena_array(c->arena, n_buckets, sizeof *heads);
    if (!heads)
        return false;
    memset(heads, 0xff, n_buckets * sizeof *heads);
    c->heads = heads;
    c->n_buckets = n_buckets;
    for (size_t b = 0; b < n_old; b++)
        for (uint32_t item = old[b], next; item != NO_ITEM; item = next) {
            next = c->next[item];
            push_item(c, item);
        }
    return true;
}

static size_t find_final_size(size_t n)
{
    size_t size = 1, want = 4 * n / 3;
    if (n <= 2)
        return 1;
    while (size <= want)
        size *= 2;
    return size;
}

static bool fill_table(struct chains *c, size_t n)
{
    bool ok = resize_table(c, 64);
    for (size_t i = 0; ok && i < n; i++) {
        if (4 * (i + 1) >= 3 * c->n_buckets)
            ok = resize_table(c, 2 * c->n_buckets);
        if (ok)
            push_item(c, (uint32_t)i);
    }
    size_t size = find_final_size(n);
    return ok && (size == c->n_buckets || resize_table(c, size));
}

/* Writes the items bucket by bucket to `order`, and replaces the head of each bucket by its number of items. */
static void list_items(const struct chains *c, uint32_t *order)
{
    for (size_t b = 0; b < c->n_buckets; b++) {
        uint32_t n = 0;
        for (uint32_t item = c->heads[b]; item != NO_ITEM; item = c->next[item], n++)
            *order++ = item;
        c->heads[b] = n;
    }
}

bool llvm_table_make(struct llvm_table *t, const uint64_t *hashes, size_t n, struct arena *arena)
{
    struct chains c = {NULL, arena_array(arena, n, sizeof *c.next), hashes, 0, arena};
    t->order = arena_array(arena, n, sizeof *t->order);
    bool ok = c.next && t->order && fill_table(&c, n);
    if (ok)
        list_items(&c, t->order);
    t->counts = c.heads;
    t->n_buckets = c.n_buckets;
    return ok;
}

/* ---- the maps in memory ---- */

/* LLVM's open-addressing tables, which are walked in the order of their slots. From its home slot an item goes on by
 * 1, 2, 3, ... slots to the first free one. No item is ever removed, so the search for the next item of a home begins
 * where the last one ended: hashes that were made to collide cost no more than others. */
struct map {
    uint32_t *slots; /* item, or NO_ITEM for a free slot */
    uint32_t *steps; /* for each home slot, how many places of its sequence are known to be occupied */
    size_t n_slots;
    const uint32_t *hashes; /* the hash of each item */
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

static void map_insert(struct map *m, uint32_t item)
{
    size_t mask = m->n_slots - 1, home = m->hashes[item] & mask, step = m->steps[home];
    size_t at = (home + step * (step + 1) / 2) & mask;
    while (m->slots[at] != NO_ITEM)
        at = (at + ++step) & mask;
    m->slots[at] = item;
    m->steps[home] = (uint32_t)step + 1;
}

/* Moves the items in the order of their slots. */
static bool map_grow(struct map *m, size_t n_slots)
{
    struct map old = *m;
    bool ok = map_start(m, n_slots, old.hashes);
    for (size_t s = 0; ok && s < old.n_slots; s++)
        if (old.slots[s] != NO_ITEM)
            map_insert(m, old.slots[s]);
    map_free(&old);
    return ok;
}

static void map_list(const struct map *m, uint32_t *order)
{
    for (size_t s = 0; s < m->n_slots; s++)
        if (m->slots[s] != NO_ITEM)
            *order++ = m->slots[s];
}

static uint32_t map_hash(uint64_t x, bool old_mix)
{
    if (old_mix)
        return (uint32_t)(x * 37);
    x *= 0xbf58476d1ce4e5b9u;
    return (uint32_t)(x ^ (x >> 31));
}

#define HASH_MAP_FIRST 4u   /* slots inside the map itself */
#define HASH_MAP_SECOND 64u /* slots at least, once the map has outgrown the first ones */

bool llvm_hash_map_order(const uint64_t *hashes, size_t n, bool old_mix, uint32_t *order)
{
    struct map m = {0};
    uint32_t *mixed = malloc(n * sizeof *mixed + 1);
    bool ok = mixed && map_start(&m, HASH_MAP_FIRST, mixed);
    for (size_t i = 0; ok && i < n; i++) {
        mixed[i] = map_hash(hashes[i], old_mix);
        if (4 * (i + 1) >= 3 * m.n_slots) /* this map grows before an insertion, the one of names after it */
            ok = map_grow(&m, 2 * m.n_slots < HASH_MAP_SECOND ? HASH_MAP_SECOND : 2 * m.n_slots);
        if (ok)
            map_insert(&m, (uint32_t)i);
    }
    if (ok)
        map_list(&m, order);
    map_free(&m);
    free(mixed);
    return ok;
}

/* Bernstein's hash, without his seed. */
static uint32_t hash_djb(const struct apf_str *name)
{
    uint32_t h = 0;
    for (size_t i = 0; i < name->n; i++)
        h = h * 33 + (uint8_t)name->p[i];
    return h;
}

#define STRING_MAP_FIRST 16u

bool llvm_string_map_order(const struct apf_str *names, size_t n, enum string_hash hash, uint32_t *order)
{
    struct map m = {0};
    uint32_t *hashes = malloc(n * sizeof *hashes + 1);
    bool ok = hashes && map_start(&m, STRING_MAP_FIRST, hashes);
    for (size_t i = 0; ok && i < n; i++) {
        hashes[i] =
            hash == STRING_HASH_DJB ? hash_djb(&names[i]) : (uint32_t)XXH3_64bits(names[i].p, names[i].n);
        map_insert(&m, (uint32_t)i);
        if (4 * (i + 1) > 3 * m.n_slots)
            ok = map_grow(&m, 2 * m.n_slots);
    }
    if (ok)
        map_list(&m, order);
    map_free(&m);
    free(hashes);
    return ok;
}
