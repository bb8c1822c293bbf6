/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The hash table of an indexed profile. There are two ways through it, and LLVM's tools go both: one item behind the
 * other, and, in compilers, from the bucket of a name. */
#include "base/md5.h"
#include "base/search.h"
#include "base/sort.h"
#include "instr/indexed_check.h"

struct table {
    struct indexed_checker *k;
    struct indexed_tallies tallies;
    uint64_t n_buckets, n_items;
    uint64_t *starts; /* what the bucket array says, less its zeros, ascending */
    size_t n_starts;
    uint64_t *groups; /* where buckets were met in the payload, ascending */
    size_t n_groups;
    uint64_t bucket; /* where the one at hand begins */
};

static uint64_t bucket_word(const struct table *t, uint64_t i)
{
    return load64le(t->k->data + t->k->places.hash_offset + 16 + 8 * i);
}

/* ---- items ---- */

/* The bucket of a key must be the one it is in. */
static void check_bucket(struct table *t, uint64_t hash)
{
    uint64_t number = hash & (t->n_buckets - 1), offset = bucket_word(t, number);
    if (offset != t->bucket)
        check_at(t->k->c, APF_SEVERITY_ERROR, APF_INCONSISTENT,
                 check_spot("indexed.table.buckets", t->k->places.hash_offset + 16 + 8 * number, offset,
                            t->bucket),
                 "its bucket is another one: compilers do not find it");
}

/* False: what follows cannot be found. */
static bool check_item(struct table *t, struct cursor *c)
{
    struct check *out = t->k->c;
    uint64_t at = cursor_offset(c), left = cursor_left(c);
    uint64_t hash = cursor_u64(c), key_size = cursor_u64(c), data_size = cursor_u64(c);
    check_no_function(out);
    if (c->failed) {
        check_bound(out, APF_SEVERITY_ERROR, APF_TRUNCATED,
                    check_spot("indexed.table.item", at, left, INDEXED_ITEM_HEAD),
                    "no room for another item");
        return false;
    }
    const uint8_t *key = cursor_bytes(c, key_size);
    if (!key) {
        check_bound(out, APF_SEVERITY_ERROR, APF_TRUNCATED,
                    check_spot("indexed.table.item.key_size", at + 8, key_size, cursor_left(c)),
                    "name runs past the end of the table");
        return false;
    }
    struct apf_str name = {(const char *)key, key_size};
    check_function(out, name, 0);
    left = cursor_left(c);
    struct cursor data = cursor_sub(c, data_size);
    if (c->failed) {
        check_bound(out, APF_SEVERITY_ERROR, APF_TRUNCATED,
                    check_spot("indexed.table.item.data_size", at + 16, data_size, left),
                    "records run past the end of the table");
        return false;
    }
    uint64_t id = md5_name_ref(key, key_size);
    if (id != hash)
        check_at(out, APF_SEVERITY_ERROR, APF_MALFORMED, check_spot("indexed.table.item.hash", at, hash, id),
                 "hash of the name does not match the name");
    check_bucket(t, hash);
    if (data_size == 0)
        check_at(out, APF_SEVERITY_ERROR, APF_MALFORMED,
                 check_spot("indexed.table.item.data_size", at + 16, 0, 16), "profile data is empty");
    indexed_check_records(t->k, &data, name, &t->tallies);
    return true;
}

/* ---- the payload ---- */

/* From a damaged place on to the next bucket that the array knows. False: there is none. */
static bool resume(struct table *t, struct cursor *c, uint64_t from)
{
    size_t i;
    SEARCH(i, (size_t)0, t->n_starts, t->starts[i] <= from);
    if (i == t->n_starts || t->starts[i] >= t->k->places.hash_offset)
        return false;
    *c = cursor_make(t->k->data, t->k->places.hash_offset, HOST_BIG_ENDIAN);
    cursor_skip(c, t->starts[i]);
    return true;
}

static void check_end(struct table *t, uint64_t end)
{
    uint64_t offset = t->k->places.hash_offset;
    if (offset - end >= 8)
        check_at(t->k->c, APF_SEVERITY_NOTE, APF_NOTE, check_spot("indexed.unclaimed", end, offset - end, 0),
                 "bytes that belong to no part of the profile");
    else if (!bytes_zero(t->k->data + end, offset - end))
        check_place(t->k->c, APF_SEVERITY_NOTE, APF_NOTE, "indexed.table.padding", end,
                    "padding that is not zero");
}

/* Group by group, as LLVM reads it: the array is not needed for that. */
static void check_payload(struct table *t)
{
    struct cursor c = cursor_make(t->k->data, t->k->places.hash_offset, HOST_BIG_ENDIAN);
    bool whole = true;
    uint64_t done = 0;
    cursor_skip(&c, t->k->places.payload);
    while (done < t->n_items && t->k->c->code == APF_OK) {
        uint64_t at = cursor_offset(&c);
        uint16_t in_bucket = cursor_u16(&c);
        bool good = !c.failed && in_bucket;
        check_no_function(t->k->c);
        if (!good)
            check_bound(t->k->c, APF_SEVERITY_ERROR, c.failed ? APF_TRUNCATED : APF_MALFORMED,
                        check_spot("indexed.table.bucket", at, 0, 1), "empty bucket in the table");
        t->bucket = at;
        if (good && t->n_groups < t->n_items)
            t->groups[t->n_groups++] = at;
        for (uint16_t i = 0; good && i < in_bucket && done < t->n_items; i++, done++)
            good = check_item(t, &c);
        whole = whole && good;
        if (!good && !resume(t, &c, at))
            return;
    }
    check_no_function(t->k->c);
    if (whole && t->k->c->code == APF_OK)
        check_end(t, cursor_offset(&c));
}

/* ---- the array ---- */

/* Entries that lead to no bucket. */
static void check_array(struct table *t)
{
    for (uint64_t i = 0; i < t->n_buckets && t->k->c->code == APF_OK; i++) {
        uint64_t offset = bucket_word(t, i);
        if (offset && !sort_has_number(t->groups, t->n_groups, offset))
            check_at(t->k->c, APF_SEVERITY_ERROR, APF_INCONSISTENT,
                     check_spot("indexed.table.buckets", t->k->places.hash_offset + 16 + 8 * i, offset, 0),
                     "no bucket begins there");
    }
}

static bool take_starts(struct table *t, struct arena *arena)
{
    uint64_t *scratch = arena_array(arena, t->n_buckets, sizeof *scratch);
    t->starts = arena_array(arena, t->n_buckets, sizeof *t->starts);
    t->groups = arena_array(arena, t->n_items, sizeof *t->groups);
    if (!scratch || !t->starts || !t->groups)
        return false;
    for (uint64_t i = 0; i < t->n_buckets; i++) {
        uint64_t offset = bucket_word(t, i);
        if (offset)
            t->starts[t->n_starts++] = offset;
    }
    sort_numbers(t->starts, scratch, t->n_starts);
    return true;
}

/* Where the reader does not go on either. */
static bool check_head(struct indexed_checker *k)
{
    const struct indexed_places *p = &k->places;
    uint64_t last = k->n < 16 ? 0 : k->n - 16;
    if (p->hash_offset > k->n || k->n - p->hash_offset < 16 || p->hash_offset < p->payload) {
        check_bound(k->c, APF_SEVERITY_ERROR, APF_TRUNCATED,
                    check_spot("indexed.header.hash_offset", INDEXED_HASH_OFFSET_AT, p->hash_offset,
                               p->hash_offset < p->payload ? p->payload : last),
                    "hash table lies outside the file");
        return false;
    }
    uint64_t n = load64le(k->data + p->hash_offset);
    if (!n || n & (n - 1) || !p->n_buckets) {
        check_at(k->c, APF_SEVERITY_ERROR, APF_MALFORMED,
                 check_spot("indexed.table.num_buckets", p->hash_offset, n, (k->n - p->hash_offset - 16) / 8),
                 "number of buckets is no power of two, or does not fit");
        return false;
    }
    uint64_t items = load64le(k->data + p->hash_offset + 8),
             most = (p->hash_offset - p->payload) / INDEXED_ITEM_HEAD;
    if (items > most)
        check_bound(k->c, APF_SEVERITY_ERROR, APF_TRUNCATED,
                    check_spot("indexed.table.num_entries", p->hash_offset + 8, items, most),
                    "more entries than fit in the table");
    return items <= most;
}

void indexed_check_table(struct indexed_checker *k)
{
    struct table t = {.k = k};
    struct arena arena = {0};
    if (!check_head(k))
        return;
    if (k->places.hash_offset % 8)
        check_at(k->c, APF_SEVERITY_NOTE, APF_NOTE,
                 check_spot("indexed.header.hash_offset", INDEXED_HASH_OFFSET_AT, k->places.hash_offset,
                            align8(k->places.hash_offset)),
                 "the buckets are not aligned");
    t.n_buckets = k->places.n_buckets;
    t.n_items = load64le(k->data + k->places.hash_offset + 8);
    if (take_starts(&t, &arena)) {
        check_payload(&t);
        check_no_function(k->c);
        check_array(&t);
        indexed_tell_tallies(k, &t.tallies);
    } else {
        check_memory(k->c);
    }
    arena_free(&arena);
}
