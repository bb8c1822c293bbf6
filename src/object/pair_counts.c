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
static void add_batch(struct pair_counts *c, const struct address_pair *pairs, size_t n, uint64_t count)
{
    uint64_t hashes[PAIR_COUNTS_BATCH];
    for (size_t i = 0; i < n; i++) {
        hashes[i] = hash_index_mix(&c->index, pairs[i].a, pairs[i].b + ((uint64_t)pairs[i].context << 40));
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
        HASH_INDEX_FIND(entry, &c->index, hashes[i], is_pair(c, entry, &pairs[i]));
        if (entry == HASH_INDEX_NONE) {
            entry = (uint32_t)c->list.n;
            c->list.data[c->list.n++] = (struct pair_count){pairs[i], 0};
            hash_index_add(&c->index, hashes[i], entry);
        }
        uint64_t *sum = &c->list.data[entry].count;
        *sum = count > UINT64_MAX - *sum ? UINT64_MAX : *sum + count;
    }
}

int pair_counts_add(struct pair_counts *c, const struct address_pair *pairs, size_t n, uint64_t count,
                    struct apf_error *error)
{
    while (n) {
        size_t batch = n < PAIR_COUNTS_BATCH ? n : PAIR_COUNTS_BATCH;
        if (!hash_index_reserve(&c->index, batch) || !VEC_RESERVE(&c->list, batch))
            return hash_index_error(&c->index, error);
        add_batch(c, pairs, batch, count);
        pairs += batch;
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

int pair_counts_sort(struct pair_counts *c, struct apf_error *error)
{
    hash_index_free(&c->index);
    if (!SORT_VEC(&c->list, pair_before, NULL))
        return error_memory(error);
    VEC_TRIM(&c->list);
    return APF_OK;
}
