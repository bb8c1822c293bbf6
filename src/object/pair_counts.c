/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "object/pair_counts.h"

#include "base/error.h"
#include "base/sort.h"

void pair_counts_free(struct pair_counts *c)
{
    VEC_FREE(&c->list);
    pair_table_free(&c->near);
    hash_index_free(&c->index);
}

/* ---- adding ---- */

/* The lowest base of which the greater address of a pair is near, with as much room after it as before it. */
static uint64_t choose_base(const struct address_pair *pair)
{
    const uint64_t high = pair->a > pair->b ? pair->a : pair->b, half = (uint64_t)1 << 31;
    const uint64_t base = high < half ? 0 : high - half;
    return base < UINT64_MAX - UINT32_MAX ? base : UINT64_MAX - UINT32_MAX;
}

static bool is_pair(const struct pair_counts *c, uint32_t entry, const struct address_pair *pair)
{
    const struct address_pair *known = &c->list.data[entry].pair;
    return known->a == pair->a && known->b == pair->b && known->context == pair->context;
}

/* Adds pairs to the list, as many as below. */
static void add_to_list(struct pair_counts *c, const struct pair_count *more, size_t n)
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

/* Adds at most PAIR_COUNTS_BATCH pairs. */
static int add_batch(struct pair_counts *c, const struct pair_count *more, size_t n, struct apf_error *error)
{
    struct sort_key near[PAIR_COUNTS_BATCH];
    struct pair_count far[PAIR_COUNTS_BATCH];
    size_t n_near = 0, n_far = 0;
    for (size_t i = 0; i < n; i++) {
        const struct address_pair *pair = &more[i].pair;
        const uint64_t a = pair->a - c->base, b = pair->b - c->base;
        if (LIKELY((a | b) <= UINT32_MAX && (a | b) && !pair->context))
            near[n_near++] = (struct sort_key){a << 32 | b, more[i].count};
        else
            far[n_far++] = more[i];
    }
    if (n_near) {
        if (!pair_table_reserve(&c->near, n_near))
            return hash_refused_error(c->near.refused, error);
        pair_table_add(&c->near, near, n_near);
    }
    if (n_far) {
        if (!hash_index_reserve(&c->index, n_far) || !VEC_RESERVE(&c->list, n_far))
            return hash_index_error(&c->index, error);
        add_to_list(c, far, n_far);
    }
    return APF_OK;
}

/* Makes what can be added to of a list that is sorted. */
static int reopen(struct pair_counts *c, struct apf_error *error)
{
    struct pair_counts opened = {.base = c->base};
    int code = pair_counts_add(&opened, c->list.data, c->list.n, error);
    pair_counts_free(code == APF_OK ? c : &opened);
    if (code == APF_OK)
        *c = opened;
    return code;
}

int pair_counts_add(struct pair_counts *c, const struct pair_count *more, size_t n, struct apf_error *error)
{
    int code = c->sorted ? reopen(c, error) : APF_OK;
    if (n && !pair_counts_any(c))
        c->base = choose_base(&more->pair);
    while (code == APF_OK && n) {
        const size_t batch = n < PAIR_COUNTS_BATCH ? n : PAIR_COUNTS_BATCH;
        code = add_batch(c, more, batch, error);
        more += batch;
        n -= batch;
    }
    return code;
}

/* ---- sorting ---- */

static bool pair_before(const void *context, const void *a, const void *b)
{
    const struct pair_count *x = a, *y = b;
    (void)context;
    if (x->pair.context != y->pair.context)
        return x->pair.context < y->pair.context;
    return x->pair.a != y->pair.a ? x->pair.a < y->pair.a : x->pair.b < y->pair.b;
}

/* Appends what is near to the list. Alone, it leaves the list sorted. */
static bool append_near(struct pair_counts *c)
{
    const struct pair_table *near = &c->near;
    pair_table_sort(&c->near);
    if (!VEC_RESERVE(&c->list, near->n))
        return false;
    for (size_t i = 0; i < near->n; i++) {
        const uint64_t both = near->slots[i].key;
        const struct address_pair pair = {c->base + (both >> 32), c->base + (uint32_t)both, 0};
        c->list.data[c->list.n++] = (struct pair_count){pair, near->slots[i].value};
    }
    return true;
}

int pair_counts_sort(struct pair_counts *c, struct apf_error *error)
{
    const bool far = c->list.n != 0;
    if (c->sorted)
        return APF_OK;
    hash_index_free(&c->index);
    if (!append_near(c) || (far && !SORT_VEC(&c->list, pair_before, NULL)))
        return error_memory(error);
    pair_table_free(&c->near);
    VEC_TRIM(&c->list);
    c->sorted = true;
    return APF_OK;
}
