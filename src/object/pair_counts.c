/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "object/pair_counts.h"

#include "base/error.h"
#include "base/sort.h"

void pair_counts_free(struct pair_counts *c)
{
    VEC_FREE(&c->list);
    hash_index_free(&c->index);
}

static bool is_pair(const struct pair_counts *c, uint32_t entry, const struct address_pair *pair)
{
    const struct address_pair *known = &c->list.data[entry].pair;
    return known->a == pair->a && known->b == pair->b && known->context == pair->context;
}

/* Adds at most PAIR_COUNTS_BATCH pairs, for which there is room. */
static void add_batch(struct pair_counts *c, const struct pair_count *more, size_t n)
{
    uint64_t hashes[PAIR_COUNTS_BATCH];
    for (size_t i = 0; i < n; i++) {
        const struct address_pair *pair = &more[i].pair;
        hashes[i] = hash_index_mix(&c->index, pair->a, pair->b + ((uint64_t)pair->context << 40));
        hash_index_fetch(&c->index, hashes[i]);
    }
    for (size_t i = 0; i < n; i++) { /* most likely the entry with the same tag is the one */
        size_t at = hash_index_first(&c->index, hashes[i]);
        uint32_t entry = hash_index_next(&c->index, hashes[i], &at);
        if (entry != HASH_INDEX_NONE) { /* which may lie across two lines of the cache */
            PREFETCH(&c->list.data[entry].pair);
            PREFETCH(&c->list.data[entry].count);
        }
    }
    for (size_t i = 0; i < n; i++) {
        uint32_t entry;
        HASH_INDEX_FIND(entry, &c->index, hashes[i], is_pair(c, entry, &more[i].pair));
        if (entry == HASH_INDEX_NONE) {
            entry = (uint32_t)c->list.n;
            c->list.data[c->list.n++] = (struct pair_count){more[i].pair, 0};
            hash_index_add(&c->index, hashes[i], entry);
        }
        uint64_t *sum = &c->list.data[entry].count, count = more[i].count;
        *sum = count > UINT64_MAX - *sum ? UINT64_MAX : *sum + count;
    }
}

int pair_counts_add(struct pair_counts *c, const struct pair_count *more, size_t n, struct apf_error *error)
{
    while (n) {
        size_t batch = n < PAIR_COUNTS_BATCH ? n : PAIR_COUNTS_BATCH;
        if (!hash_index_reserve(&c->index, batch) || !VEC_RESERVE(&c->list, batch))
            return hash_index_error(&c->index, error);
        add_batch(c, more, batch);
        more += batch;
        n -= batch;
    }
    return APF_OK;
}

static bool pair_before(const void *context, const void *a, const void *b)
{
    const struct pair_count *x = a, *y = b;
    (void)context;
    if (x->pair.context != y->pair.context)
        return x->pair.context < y->pair.context;
    return x->pair.a != y->pair.a ? x->pair.a < y->pair.a : x->pair.b < y->pair.b;
}

static bool is_sorted(const struct pair_counts *c)
{
    for (size_t i = 1; i < c->list.n; i++)
        if (pair_before(NULL, &c->list.data[i], &c->list.data[i - 1]))
            return false;
    return true;
}

/* Finds the least address. False: a pair has a context, addresses are 2^32 or more apart, or there is no pair. */
static bool find_base(const struct pair_counts *c, uint64_t *base)
{
    uint64_t least = UINT64_MAX, most = 0;
    for (size_t i = 0; i < c->list.n; i++) {
        const struct address_pair *pair = &c->list.data[i].pair;
        const uint64_t low = pair->a < pair->b ? pair->a : pair->b,
                       high = pair->a < pair->b ? pair->b : pair->a;
        if (pair->context)
            return false;
        least = low < least ? low : least;
        most = high > most ? high : most;
    }
    *base = least;
    return c->list.n && most - least <= UINT32_MAX;
}

_Static_assert(2 * sizeof(struct sort_key) <= sizeof(struct pair_count),
               "the spare room holds keys and scratch");

/* Sorts pairs without contexts by one number: both addresses, less `base`. The keys and their scratch memory are in the
 * spare room of the list. */
static bool sort_packed(struct pair_counts *c, uint64_t base)
{
    const size_t n = c->list.n;
    if (!VEC_RESERVE(&c->list, n))
        return false;
    struct sort_key *keys = (void *)(c->list.data + n);
    for (size_t i = 0; i < n; i++) {
        const struct pair_count *counted = &c->list.data[i];
        keys[i] =
            (struct sort_key){(counted->pair.a - base) << 32 | (counted->pair.b - base), counted->count};
    }
    sort_keys(keys, keys + n, n);
    for (size_t i = 0; i < n; i++)
        c->list.data[i] =
            (struct pair_count){{base + (keys[i].key >> 32), base + (uint32_t)keys[i].key, 0}, keys[i].value};
    return true;
}

int pair_counts_sort(struct pair_counts *c, struct apf_error *error)
{
    uint64_t base;
    hash_index_free(&c->index);
    const bool sorted =
        is_sorted(c) || (find_base(c, &base) ? sort_packed(c, base) : SORT_VEC(&c->list, pair_before, NULL));
    VEC_TRIM(&c->list);
    return sorted ? APF_OK : error_memory(error);
}
