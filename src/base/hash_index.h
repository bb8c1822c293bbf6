/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The one hash table: an index into an array that the caller keeps.
 *
 * A slot holds a 32-bit tag and a 32-bit entry number; the caller compares the entry. The hash is keyed with
 * random bits for each table because the ids in a file are chosen by whoever made the file. No output may depend
 * on the order of slots: there is no way to iterate. */
#ifndef BASE_HASH_INDEX_H
#define BASE_HASH_INDEX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/compiler.h"

#define HASH_INDEX_NONE UINT32_MAX

struct hash_index {
    uint64_t *slots; /* tag << 32 | entry + 1; 0 = free */
    void *block;     /* what they are in */
    size_t mask;     /* number of slots - 1 */
    size_t n;
    uint64_t key;
};

/* An all-zero struct hash_index is empty and usable. */

/* The hash of a pair of numbers (b is 0 where there is only one). */
static inline uint64_t hash_index_mix(const struct hash_index *h, uint64_t a, uint64_t b)
{
    uint64_t x = (a ^ h->key) * 0x9E3779B97F4A7C15u;
    x ^= x >> 32;
    x = (x + b) * 0xD6E8FEB86659FD93u;
    x ^= x >> 29;
    x *= 0xBF58476D1CE4E5B9u;
    return x ^ (x >> 32);
}

/* The hash of n bytes. */
static inline uint64_t hash_index_bytes(const struct hash_index *h, const void *p, size_t n)
{
    uint64_t hash = n, word;
    for (size_t i = 0; i < n; i += sizeof word) {
        word = 0;
        memcpy(&word, (const char *)p + i, n - i < sizeof word ? n - i : sizeof word);
        hash = hash_index_mix(h, hash, word);
    }
    return hash_index_mix(h, hash, 0);
}

/* Walks the entries whose tag is that of `hash`:
 *   size_t pos = hash_index_first(h, hash);
 *   for (uint32_t e; (e = hash_index_next(h, hash, &pos)) != HASH_INDEX_NONE;)
 *       if (entries[e] is the one) ... */
static inline size_t hash_index_first(const struct hash_index *h, uint64_t hash)
{
    return (size_t)(hash >> 32) & h->mask; /* from the tag, so that growing needs no entry */
}

static inline uint32_t hash_index_next(const struct hash_index *h, uint64_t hash, size_t *pos)
{
    if (!h->slots)
        return HASH_INDEX_NONE;
    for (;;) {
        uint64_t slot = h->slots[*pos];
        if (!slot)
            return HASH_INDEX_NONE;
        *pos = (*pos + 1) & h->mask;
        if (slot >> 32 == hash >> 32)
            return (uint32_t)slot - 1;
    }
}

/* Brings the place of a hash into the cache, for a look some time later. */
static inline void hash_index_fetch(const struct hash_index *h, uint64_t hash)
{
    PREFETCH(&h->slots[hash_index_first(h, hash)]);
}

/* Room for `more` entries without a further allocation; false when memory is out. Must come before the first
 * hash_index_mix, since it makes the key. */
bool hash_index_reserve(struct hash_index *h, size_t more) MUST_USE;
/* Adds an entry that is known to be absent; there must be room. */
void hash_index_add(struct hash_index *h, uint64_t hash, uint32_t entry);
void hash_index_free(struct hash_index *h);

#endif
