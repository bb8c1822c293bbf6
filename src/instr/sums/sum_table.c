/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "instr/sums/sum_table.h"

#include <stdlib.h>
#include <string.h>

#include "base/endian.h"
#include "base/error.h"
#include "base/file_identity.h"
#include "base/pulse.h"

struct sum_table *sum_table_new(void)
{
    struct sum_table *a = calloc(1, sizeof *a);
    for (unsigned i = 0; a && i < SUM_SHARDS; i++)
        pthread_mutex_init(&a->shards[i].lock, NULL);
    return a;
}

void sum_table_free(struct sum_table *a)
{
    if (!a)
        return;
    for (unsigned i = 0; i < SUM_SHARDS; i++) {
        struct sum_shard *s = &a->shards[i];
        pthread_mutex_destroy(&s->lock);
        arena_free(&s->arena);
        VEC_FREE(&s->blocks);
        hash_index_free(&s->index);
    }
    free(a);
}

/* ---- adding one to another ---- */

/* Adds counts. Pseudo counts are no numbers: hot wins over warm, and they are not multiplied. */
static void add_counts(struct sum *to, const uint64_t *counts, uint64_t weight)
{
    bool cut = false;
    if (to->flags & APF_RECORD_PSEUDO) {
        for (uint32_t i = 0; i < to->n_counts; i++)
            to->counts[i] = counts[i] > to->counts[i] ? counts[i] : to->counts[i];
        return;
    }
    for (uint32_t i = 0; i < to->n_counts; i++)
        to->counts[i] = sum_saturating(to->counts[i], counts[i], weight, COUNT_MAX, &cut);
    if (cut)
        to->flags |= APF_RECORD_SATURATED;
}

/* An array of a profile that the table has adopted, and may change. */
static void *adopted_pointer(const void *p)
{
    return (void *)(uintptr_t)p;
}

/* Makes lists, to which values can be added, of the values of the first addition. */
static bool open_lists(struct sum *to, struct arena *arena)
{
    size_t n = sum_site_count(to);
    if (to->sites)
        return true;
    to->sites = arena_zeros(arena, n, sizeof *to->sites);
    if (!to->sites)
        return false;
    for (size_t i = 0; to->first && i < n; i++) {
        struct value_list *l = &to->sites[i];
        l->values = adopted_pointer(to->first[i].values);
        l->n = l->capacity = (uint32_t)to->first[i].n;
    }
    to->first = NULL;
    return true;
}

static bool any_values(const struct apf_site *sites, size_t n)
{
    for (size_t i = 0; sites && i < n; i++)
        if (sites[i].n)
            return true;
    return false;
}

static bool add_sites(struct sum *to, struct arena *arena, const struct apf_site *sites, uint64_t weight)
{
    size_t n = sum_site_count(to);
    bool cut = false, ok = true;
    bool any = any_values(sites, n);
    if (!to->sites && !to->first && !any)
        return true;
    if (!open_lists(to, arena))
        return false;
    for (size_t i = 0; ok && i < n; i++) {
        struct value_list *l = &to->sites[i];
        if (to->adds == 1)
            ok = value_list_normalise(l, &cut);
        if (!any || !ok)
            continue;
        ok = to->adds ? value_list_add(l, arena, sites[i].values, sites[i].n, weight, &cut)
                      : value_list_copy(l, arena, sites[i].values, sites[i].n, weight, &cut);
    }
    if (cut)
        to->flags |= APF_RECORD_SATURATED;
    return ok;
}

void uniformity_bits(const uint64_t *counts, const uint64_t *uniform, uint32_t n_counts, uint8_t *bits)
{
    memset(bits, 0xff, (n_counts + 7u) / 8);
    for (uint32_t i = 0; i < n_counts; i++)
        if (uniform[i] < counts[i] - counts[i] / 10)
            bits[i / 8] &= (uint8_t)~(1u << i % 8);
}

static bool and_bits(struct uniform_sum *u, struct arena *arena, const uint8_t *bits, uint32_t n)
{
    if (!u->bits) {
        u->bits = arena_bytes(arena, n ? n : 1);
        if (!u->bits)
            return false;
        memcpy(u->bits, bits, n);
        u->n_bits = n;
        return true;
    }
    u->mixed |= u->n_bits != n;
    for (uint32_t i = 0; i < n && i < u->n_bits; i++)
        u->bits[i] &= bits[i];
    return true;
}

static bool add_uniform(struct sum *to, struct arena *arena, const struct record *r, uint64_t weight)
{
    const struct record_extra *x = r->extra;
    if (!x || (!x->uniform && !x->n_uniformity))
        return true;
    if (!to->uniform) {
        to->uniform = arena_zeros(arena, 1, sizeof *to->uniform);
        if (!to->uniform)
            return false;
    }
    struct uniform_sum *u = to->uniform;
    if (!x->uniform)
        return and_bits(u, arena, x->uniformity, x->n_uniformity);
    if (!u->counters)
        u->counters = arena_zeros(arena, to->n_counts, sizeof *u->counters);
    uint32_t n = (to->n_counts + 7u) / 8;
    uint8_t *bits = arena_bytes(arena, n);
    if (!u->counters || !bits)
        return false;
    bool cut = false;
    for (uint32_t i = 0; i < to->n_counts; i++)
        u->counters[i] = sum_saturating(u->counters[i], x->uniform[i], weight, COUNT_MAX, &cut);
    u->adds++;
    uniformity_bits(r->counts, x->uniform, to->n_counts, bits);
    return and_bits(u, arena, bits, n);
}

/* ---- the table ---- */

static bool same_structure(const struct sum *s, const struct sum *key)
{
    return s->id == key->id && s->hash == key->hash && s->n_counts == key->n_counts &&
           s->n_bitmap == key->n_bitmap && memcmp(s->n_sites, key->n_sites, sizeof s->n_sites) == 0 &&
           (s->flags & SUM_FLAGS) == (key->flags & SUM_FLAGS);
}

static int compare_numbers(uint64_t a, uint64_t b)
{
    return (a > b) - (a < b);
}

int sum_compare(const struct sum *a, const struct sum *b)
{
    int order = compare_numbers(a->id, b->id);
    if (!order)
        order = compare_numbers(a->hash, b->hash);
    if (!order)
        order = compare_numbers(a->n_counts, b->n_counts);
    if (!order)
        order = compare_numbers(a->n_bitmap, b->n_bitmap);
    for (unsigned k = 0; !order && k < APF_VALUE_KINDS; k++)
        order = compare_numbers(a->n_sites[k], b->n_sites[k]);
    return order ? order : compare_numbers(a->flags & SUM_FLAGS, b->flags & SUM_FLAGS);
}

/* Hashed with a key in two steps: neither many structures of one function nor chosen hashes make one long chain. */
uint64_t structure_digest(uint64_t id, uint64_t hash, const struct sum_structure *of)
{
    uint8_t bytes[37];
    store64le(bytes, id);
    store64le(bytes + 8, hash);
    store32le(bytes + 16, of->n_counts);
    store32le(bytes + 20, of->n_bitmap);
    for (unsigned k = 0; k < APF_VALUE_KINDS; k++)
        store32le(bytes + 24 + 4 * k, of->n_sites[k]);
    bytes[36] =
        (uint8_t)((of->flags & APF_RECORD_PSEUDO ? 1 : 0) | (of->flags & APF_RECORD_SPARSE_BITMAP ? 4 : 0) |
                  (of->flags & APF_RECORD_DENSE_BITMAP ? 8 : 0));
    return file_digest_bytes(bytes, sizeof bytes).low;
}

uint64_t structure_hash(const struct hash_index *index, uint64_t id, uint64_t hash,
                        const struct sum_structure *of)
{
    uint64_t structure = (uint64_t)of->n_counts << 32 | of->n_bitmap;
    for (unsigned k = 0; k < APF_VALUE_KINDS; k++)
        structure = structure * 0x9E3779B97F4A7C15u + of->n_sites[k];
    structure += of->flags & SUM_FLAGS;
    return hash_index_mix(index, hash_index_mix(index, id, hash), structure);
}

static uint64_t hash_of(const struct sum_shard *s, const struct sum *key)
{
    struct sum_structure structure = {key->n_counts, key->n_bitmap, key->n_sites, key->flags};
    return structure_hash(&s->index, key->id, key->hash, &structure);
}

static struct sum *sum_at(const struct sum_shard *s, size_t i)
{
    return &s->blocks.data[i / SUM_BLOCK][i % SUM_BLOCK];
}

/* The memory of the next sum; NULL: an allocation failed. */
static struct sum *next_sum(struct sum_shard *s, struct arena *keeper)
{
    if (s->n_sums == SUM_BLOCK * s->blocks.n) {
        struct sum *block = arena_array(keeper ? keeper : &s->arena, SUM_BLOCK, sizeof *block);
        if (!block || !VEC_PUSH(&s->blocks, block))
            return NULL;
    }
    return sum_at(s, s->n_sums);
}

/* The entry for a structure; a new one has adds == 0 and no arrays. NULL: an allocation failed. */
static struct sum *find_or_add_sum(struct sum_shard *s, const struct sum *key, uint64_t hash,
                                   struct arena *keeper)
{
    uint32_t e;
    HASH_INDEX_FIND(e, &s->index, hash, same_structure(sum_at(s, e), key));
    if (e != HASH_INDEX_NONE)
        return sum_at(s, e);
    struct sum *made = hash_index_reserve(&s->index, 1) ? next_sum(s, keeper) : NULL;
    if (!made)
        return NULL;
    *made = *key;
    hash_index_add(&s->index, hash, (uint32_t)s->n_sums++);
    return made;
}

static struct sum key_of(const struct sum_table_input *in, const struct record *r)
{
    struct sum key = {0};
    key.id = r->id;
    key.hash = r->hash;
    key.n_counts = r->n_counts;
    key.n_bitmap = r->n_bitmap;
    memcpy(key.n_sites, r->n_sites, sizeof key.n_sites);
    key.flags = r->flags & SUM_FLAGS;
    key.input = in->input;
    key.symbol = r->symbol == HASH_INDEX_NONE || !in->symbols ? r->symbol : in->symbols[r->symbol];
    return key;
}

/* Adds the first record of an entry, whose arrays are adopted or copied. */
static bool first_counts(struct sum *to, struct arena *arena, const struct sum_table_input *in,
                         const struct record *r)
{
    if (in->keeper) {
        to->counts = adopted_pointer(r->counts);
        to->bitmap = adopted_pointer(r->bitmap);
    } else {
        to->counts = arena_array(arena, r->n_counts, sizeof *to->counts);
        to->bitmap = r->n_bitmap ? arena_bytes(arena, r->n_bitmap) : NULL;
        if (!to->counts || (r->n_bitmap && !to->bitmap))
            return false;
        memcpy(to->counts, r->counts, r->n_counts * sizeof *to->counts); /* unchanged, even above COUNT_MAX */
        if (to->bitmap)
            memcpy(to->bitmap, r->bitmap, r->n_bitmap);
    }
    bool cut = false;
    for (uint32_t i = 0; in->weight != 1 && !(to->flags & APF_RECORD_PSEUDO) && i < r->n_counts; i++)
        to->counts[i] = sum_saturating(0, to->counts[i], in->weight, COUNT_MAX, &cut);
    if (cut)
        to->flags |= APF_RECORD_SATURATED;
    return true;
}

static void add_weight(struct sum *to, uint64_t adds, uint64_t weight)
{
    bool cut = false;
    to->adds = sum_saturating(to->adds, adds, 1, UINT64_MAX, &cut);
    to->weight = sum_saturating(to->weight, weight, 1, UINT64_MAX, &cut);
}

/* Adds the i-th record of the input. */
static bool add_record(struct sum_shard *s, const struct sum_table_input *in, uint64_t rank, uint32_t i,
                       const struct sum *key, uint64_t hash)
{
    const struct record *r = &in->records[i];
    struct first_seen seen = {rank, i};
    struct sum *to = find_or_add_sum(s, key, hash, in->keeper);
    bool ok = to != NULL, first = ok && to->adds == 0;
    if (first) {
        to->rank = rank;
        to->place = i;
        ok = first_counts(to, &s->arena, in, r);
    } else if (ok) {
        sum_record_seen(to, seen);
        sum_record_input(to, in->input);
        add_counts(to, r->counts, in->weight);
        for (uint32_t k = 0; k < r->n_bitmap; k++)
            to->bitmap[k] |= r->bitmap[k];
    }
    if (ok && sum_site_count(to)) {
        if (first && in->keeper)
            to->first = r->sites;
        else
            ok = add_sites(to, &s->arena, r->sites, in->weight);
    }
    ok = ok && add_uniform(to, &s->arena, r, in->weight);
    if (ok)
        add_weight(to, 1, in->votes);
    return ok;
}

static unsigned shard_of(uint64_t id)
{
    return (unsigned)(id >> 7) % SUM_SHARDS; /* any bits will do: ids are parts of an MD5 */
}

/* Sorts the numbers of the records by shard (counting sort), so that each lock is taken once. */
static uint32_t *by_shard(const struct record *records, size_t n, size_t starts[SUM_SHARDS + 1])
{
    uint32_t *order = malloc(n * sizeof *order + 1);
    memset(starts, 0, (SUM_SHARDS + 1) * sizeof *starts);
    if (!order)
        return NULL;
    for (size_t i = 0; i < n; i++)
        starts[shard_of(records[i].id) + 1]++;
    for (unsigned s = 0; s < SUM_SHARDS; s++)
        starts[s + 1] += starts[s];
    size_t next[SUM_SHARDS];
    memcpy(next, starts, sizeof next);
    for (size_t i = 0; i < n; i++)
        order[next[shard_of(records[i].id)]++] = (uint32_t)i;
    return order;
}

/* Adds the records of one shard, and prefetches their places in the index. */
static bool add_to_shard(struct sum_shard *s, const struct sum_table_input *in, uint64_t rank,
                         const uint32_t *order, size_t n)
{
    struct sum keys[FETCH_AHEAD];
    uint64_t hashes[FETCH_AHEAD];
    bool ok = hash_index_reserve(&s->index, s->index.n && !in->keeper ? 1 : n); /* most are new */
    for (size_t k = 0; ok && k < n + FETCH_AHEAD; k++) {
        struct sum *key = &keys[k % FETCH_AHEAD];
        uint64_t *hash = &hashes[k % FETCH_AHEAD];
        if (k >= FETCH_AHEAD)
            ok = add_record(s, in, rank, order[k - FETCH_AHEAD], key, *hash);
        if (k + FETCH_AHEAD < n) {
            PREFETCH(&in->records[order[k + FETCH_AHEAD]]);
            PREFETCH(&in->records[order[k + FETCH_AHEAD]].n_counts);
        }
        if (k < n) {
            *key = key_of(in, &in->records[order[k]]);
            *hash = hash_of(s, key);
            hash_index_fetch(&s->index, *hash);
        }
    }
    return ok;
}

static uint64_t rank_of(const struct record *records, size_t n)
{
    struct id_sequence ids = id_sequence_empty();
    for (size_t i = 0; i < n; i++)
        id_sequence_add(&ids, records[i].id);
    return id_sequence_rank(&ids);
}

int sum_table_add(struct sum_table *a, const struct sum_table_input *in, struct apf_error *error)
{
    size_t starts[SUM_SHARDS + 1];
    uint32_t *order = by_shard(in->records, in->n, starts);
    uint64_t rank = rank_of(in->records, in->n);
    bool ok = order != NULL, stops = false;
    for (unsigned i = 0; ok && !stops && i < SUM_SHARDS; i++) {
        struct sum_shard *s = &a->shards[i];
        pthread_mutex_lock(&s->lock);
        ok = add_to_shard(s, in, rank, order + starts[i], starts[i + 1] - starts[i]);
        pthread_mutex_unlock(&s->lock);
        stops = in->n >= PULSE_EVERY && in->pulse && pulse_look(in->pulse);
    }
    free(order);
    if (stops)
        return pulse_error(error);
    return ok ? APF_OK : error_memory(error);
}

/* ---- sums of sums ---- */

/* Adds the values, without those of a kind with another number of sites. */
static bool add_lists(struct sum *to, struct arena *arena, const struct sum *from)
{
    bool cut = false, ok = true;
    size_t at = 0;
    if (!to->sites && !to->first && !from->sites && !from->first)
        return true;
    if (!open_lists(to, arena))
        return false;
    struct value_list *l = to->sites;
    for (unsigned k = 0; ok && k < APF_VALUE_KINDS; k++) {
        bool same = to->n_sites[k] == from->n_sites[k];
        for (uint32_t i = 0; ok && to->adds == 1 && i < to->n_sites[k]; i++)
            ok = value_list_normalise(&l[i], &cut);
        for (uint32_t i = 0; ok && same && i < to->n_sites[k]; i++) {
            struct apf_site site = sum_site(from, at + i);
            ok = value_list_add(&l[i], arena, site.values, site.n, 1, &cut);
        }
        l += to->n_sites[k];
        at += from->n_sites[k];
    }
    if (cut)
        to->flags |= APF_RECORD_SATURATED;
    return ok;
}

static bool add_uniform_sums(struct sum *to, struct arena *arena, const struct sum *from)
{
    bool cut = false;
    const struct uniform_sum *f = from->uniform;
    if (!f)
        return true;
    if (!to->uniform)
        to->uniform = arena_zeros(arena, 1, sizeof *to->uniform);
    if (!to->uniform)
        return false;
    struct uniform_sum *u = to->uniform;
    if (f->counters && !u->counters)
        u->counters = arena_zeros(arena, to->n_counts, sizeof *u->counters);
    if (f->counters && !u->counters)
        return false;
    for (uint32_t i = 0; f->counters && i < to->n_counts; i++)
        u->counters[i] = sum_saturating(u->counters[i], f->counters[i], 1, COUNT_MAX, &cut);
    u->adds += f->adds;
    u->mixed |= f->mixed;
    return !f->bits || and_bits(u, arena, f->bits, f->n_bits);
}

struct sum *sum_empty(const struct sum *like, struct arena *arena)
{
    struct sum *total = arena_zeros(arena, 1, sizeof *total);
    if (!total)
        return NULL;
    total->rank = UINT64_MAX; /* not seen yet */
    total->place = UINT32_MAX;
    total->input = INPUT_NONE;
    total->symbol = like->symbol;
    total->id = like->id;
    total->hash = like->hash;
    total->flags = like->flags & SUM_FLAGS;
    total->n_counts = like->n_counts;
    total->n_bitmap = like->n_bitmap;
    memcpy(total->n_sites, like->n_sites, sizeof total->n_sites);
    total->counts = arena_zeros(arena, total->n_counts, sizeof *total->counts);
    total->bitmap = arena_zeros(arena, total->n_bitmap + (size_t)1, 1);
    return total->counts && total->bitmap ? total : NULL;
}

int sum_add(struct sum *to, const struct sum *from, struct arena *arena, struct apf_error *error)
{
    add_counts(to, from->counts, 1);
    for (uint32_t i = 0; to->n_bitmap == from->n_bitmap && i < to->n_bitmap; i++)
        to->bitmap[i] |= from->bitmap[i];
    bool ok = sum_site_count(to) == 0 || add_lists(to, arena, from);
    ok = ok && add_uniform_sums(to, arena, from);
    to->flags |= from->flags & APF_RECORD_SATURATED;
    add_weight(to, from->adds, from->weight);
    sum_record_seen(to, sum_seen(from));
    sum_record_input(to, from->input);
    return ok ? APF_OK : error_memory(error);
}

/* ---- tables of sums ---- */

/* A copy of n items of a size; NULL: an allocation failed. */
static void *copy_items(struct arena *arena, const void *items, size_t n, size_t size)
{
    void *copy = arena_array(arena, n, size);
    if (copy && n && items)
        memcpy(copy, items, n * size);
    return copy;
}

static bool copy_values(struct sum *s, struct arena *arena)
{
    const size_t n = sum_site_count(s);
    struct apf_site *first = s->first ? copy_items(arena, s->first, n, sizeof *first) : NULL;
    struct value_list *sites = s->sites ? copy_items(arena, s->sites, n, sizeof *sites) : NULL;
    bool ok = (first || !s->first) && (sites || !s->sites);
    for (size_t i = 0; ok && first && i < n; i++)
        ok =
            (first[i].values = copy_items(arena, first[i].values, first[i].n, sizeof *first->values)) != NULL;
    for (size_t i = 0; ok && sites && i < n; i++) {
        sites[i].capacity = sites[i].n;
        ok =
            (sites[i].values = copy_items(arena, sites[i].values, sites[i].n, sizeof *sites->values)) != NULL;
    }
    s->first = first;
    s->sites = sites;
    return ok;
}

static bool copy_uniform(struct sum *s, struct arena *arena)
{
    struct uniform_sum *u = s->uniform ? copy_items(arena, s->uniform, 1, sizeof *u) : NULL;
    if (!s->uniform || !u)
        return !s->uniform;
    s->uniform = u;
    if (u->counters && !(u->counters = copy_items(arena, u->counters, s->n_counts, sizeof *u->counters)))
        return false;
    return !u->bits || (u->bits = copy_items(arena, u->bits, u->n_bits, 1)) != NULL;
}

/* Replaces the arrays of a sum by copies. */
static bool copy_arrays(struct sum *s, struct arena *arena)
{
    s->counts = copy_items(arena, s->counts, s->n_counts, sizeof *s->counts);
    s->bitmap = copy_items(arena, s->bitmap, s->n_bitmap, 1);
    return s->counts && s->bitmap && copy_values(s, arena) && copy_uniform(s, arena);
}

/* Adds a sum to a shard, whose lock is held. */
static int join_sum(struct sum_shard *s, const struct sum *from, struct apf_error *error)
{
    struct sum *to =
        hash_index_reserve(&s->index, 1) ? find_or_add_sum(s, from, hash_of(s, from), NULL) : NULL;
    if (!to)
        return error_memory(error);
    if (to->counts != from->counts)
        return sum_add(to, from, &s->arena, error);
    /* A new entry is a copy, with the arrays of `from`. */
    return copy_arrays(to, &s->arena) ? APF_OK : error_memory(error);
}

int sum_table_join(struct sum_table *a, const struct sum *sums, size_t n, struct apf_error *error)
{
    int code = APF_OK;
    for (size_t i = 0; code == APF_OK && i < n; i++) {
        struct sum_shard *s = &a->shards[shard_of(sums[i].id)];
        pthread_mutex_lock(&s->lock);
        code = join_sum(s, &sums[i], error);
        pthread_mutex_unlock(&s->lock);
    }
    return code;
}
