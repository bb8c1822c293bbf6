/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The one hash table: an index into an array that the caller keeps.
 *
 * A slot holds a 32-bit tag and a 32-bit entry number; the caller compares the entry. The hash is keyed with
 * random bits for each table because the maker of a file chooses the ids in it. No output may depend
 * on the order of slots: there is no way to iterate. */
#ifndef BASE_HASH_INDEX_H
#define BASE_HASH_INDEX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/compiler.h"

struct apf_error;

#define HASH_INDEX_NONE UINT32_MAX
/* The most entries of a table. */
#define HASH_MOST_ENTRIES ((size_t)1 << 30)

struct hash_index {
    uint64_t *slots; /* tag << 32 | entry + 1; 0 = free */
    void *block;     /* the allocation that holds the slots */
    size_t mask;     /* number of slots - 1 */
    size_t n;
    size_t refused; /* number of entries that hash_index_reserve last refused as too many; 0 = none */
    uint64_t key;
};

/* An all-zero struct hash_index is empty and usable. */

/* The hash of a pair of numbers (b is 0 where there is only one), keyed as said above. */
static inline uint64_t hash_mix(uint64_t key, uint64_t a, uint64_t b)
{
    uint64_t x = (a ^ key) * 0x9E3779B97F4A7C15u;
    x ^= x >> 32;
    x = (x + b) * 0xD6E8FEB86659FD93u;
    x ^= x >> 29;
    x *= 0xBF58476D1CE4E5B9u;
    return x ^ (x >> 32);
}

static inline uint64_t hash_index_mix(const struct hash_index *h, uint64_t a, uint64_t b)
{
    return hash_mix(h->key, a, b);
}

/* A key for hashes of a table, which is not 0. */
uint64_t hash_random_key(void);

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

/* Walks the entries whose tag is that of `hash`, for a visit of several entries; to find one, use HASH_INDEX_FIND:
 *   size_t pos = hash_index_first(h, hash);
 *   for (uint32_t e; (e = hash_index_next(h, hash, &pos)) != HASH_INDEX_NONE;)
 *       if (entries[e] is equal) ... */
static inline size_t hash_index_first(const struct hash_index *h, uint64_t hash)
{
    return (size_t)(hash >> 32) &
           h->mask; /* from the tag, so that the table can grow without reading entries */
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

/* Sets the variable `e` to the entry that was added with `hash` and for which the expression `is_equal`, in which `e`
 * is the entry asked about, is true; HASH_INDEX_NONE if there is no such entry. The index may be empty. */
#define HASH_INDEX_FIND(e, index, hash, is_equal)                                                            \
    do {                                                                                                     \
        const struct hash_index *index_ = (index);                                                           \
        const uint64_t hash_ = (hash);                                                                       \
        size_t pos_ = hash_index_first(index_, hash_);                                                       \
        do                                                                                                   \
            (e) = hash_index_next(index_, hash_, &pos_);                                                     \
        while ((e) != HASH_INDEX_NONE && !(is_equal));                                                       \
    } while (0)

/* Prefetches the place of a hash for a later search. */
static inline void hash_index_fetch(const struct hash_index *h, uint64_t hash)
{
    PREFETCH(&h->slots[hash_index_first(h, hash)]);
}

/* Makes room for `more` entries without a further allocation; false when the allocation failed or there would be more
 * than 2^30 entries, which hash_index_error tells apart. Must come before the first hash_index_mix, since it makes
 * the key. */
bool hash_index_reserve(struct hash_index *h, size_t more) MUST_USE;
/* Reports why hash_index_reserve returned false: APF_LIMIT or APF_NO_MEMORY. Reports APF_NO_MEMORY where the last call
 * returned true, so that a condition that also allocates something else needs no case of its own. */
int hash_index_error(const struct hash_index *h, struct apf_error *error);
/* The same of any table that refused so many entries as too many; 0: none. */
int hash_refused_error(size_t refused, struct apf_error *error);
/* Adds an entry that is known to be absent; there must be room. */
void hash_index_add(struct hash_index *h, uint64_t hash, uint32_t entry);
/* Removes all entries, and keeps the key, and the memory unless they had little of it. */
void hash_index_clear(struct hash_index *h);
void hash_index_free(struct hash_index *h);

#endif
