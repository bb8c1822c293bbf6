/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The hash table of an indexed profile. There are two ways through it, and LLVM's tools go both: one item behind the
 * other, and, in compilers, from the bucket of a name. */
#include "base/md5.h"
#include "base/search.h"
#include "base/sort.h"
#include "instr/indexed_check.h"
#include "instr/salvage.h"

struct table {
    struct indexed_checker *k;
    struct indexed_tallies tallies;
    uint64_t n_buckets, n_items;
    uint64_t *starts; /* what the bucket array says, less its zeros, ascending */
    size_t n_starts;
    uint64_t *owners; /* by bucket: where items of it were met in the payload, or 0 */
    uint64_t *groups; /* where buckets were met there, ascending */
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
    t->owners[number] = t->bucket;
    if (offset != t->bucket)
        check_at(t->k->c, APF_SEVERITY_ERROR, APF_INCONSISTENT,
                 check_spot("indexed.table.buckets", t->k->places.hash_offset + 16 + 8 * number, offset,
                            t->bucket),
                 "its bucket is another one: compilers do not find it");
}

/* An item that may be damaged, for the checks of what was read. `errors`: how many there were before it. */
static void take_item(struct table *t, struct cursor item, uint64_t errors)
{
    struct check_profile *p = t->k->profile;
    struct apf_error error;
    if (p->whole)
        return;
    int code = t->k->c->n[APF_SEVERITY_ERROR] == errors ? indexed_read_item(&t->k->reader, &item, &error)
                                                        : APF_MALFORMED;
    if (code == APF_NO_MEMORY)
        check_memory(t->k->c);
    p->records_lost = p->records_lost || code != APF_OK;
}

/* False: what follows cannot be found. */
static bool check_item(struct table *t, struct cursor *c)
{
    struct check *out = t->k->c;
    struct cursor item = *c;
    uint64_t errors = out->n[APF_SEVERITY_ERROR];
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
    if (data_size == 0)
        check_at(out, APF_SEVERITY_ERROR, APF_MALFORMED,
                 check_spot("indexed.table.item.data_size", at + 16, 0, 16), "profile data is empty");
    indexed_check_records(t->k, &data, name, &t->tallies);
    take_item(t, item, errors);
    check_function(out, name, 0);
    check_bucket(t, hash);
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
        indexed_check_unclaimed(t->k, end, offset - end);
    else if (!bytes_zero(t->k->data + end, offset - end))
        check_place(t->k->c, APF_SEVERITY_NOTE, APF_NOTE, "indexed.table.padding", end,
                    "padding that is not zero");
}

/* Group by group, as LLVM reads it: the array is not needed for that. False: not all of it was seen. */
static bool check_payload(struct table *t)
{
    struct cursor c = cursor_make(t->k->data, t->k->places.hash_offset, HOST_BIG_ENDIAN);
    bool whole = true;
    uint64_t done = 0;
    cursor_skip(&c, t->k->payload);
    while (done < t->n_items && t->k->c->code == APF_OK) {
        uint64_t at = cursor_offset(&c);
        uint16_t in_bucket = cursor_u16(&c);
        bool good = !c.failed && in_bucket;
        check_no_function(t->k->c);
        if (!good)
            check_bound(t->k->c, APF_SEVERITY_ERROR, c.failed ? APF_TRUNCATED : APF_MALFORMED,
                        check_spot("indexed.table.bucket", at, 0, 1), "empty bucket in the table");
        t->bucket = at;
        if (t->n_groups < t->n_items)
            t->groups[t->n_groups++] = at;
        for (uint16_t i = 0; good && i < in_bucket && done < t->n_items; i++, done++)
            good = check_item(t, &c);
        whole = whole && good;
        if (!good && !resume(t, &c, at))
            return false;
    }
    check_no_function(t->k->c);
    if (whole && t->k->c->code == APF_OK)
        check_end(t, cursor_offset(&c));
    return whole;
}

/* ---- the array ---- */

/* Whether a bucket is there: the name of its first item has its hash. */
static bool is_bucket(const struct indexed_checker *k, uint64_t at)
{
    struct cursor c = cursor_make(k->data, k->places.hash_offset, HOST_BIG_ENDIAN);
    cursor_skip(&c, at);
    unsigned n = cursor_u16(&c);
    uint64_t hash = cursor_u64(&c), key_size = cursor_u64(&c), data_size = cursor_u64(&c);
    const uint8_t *key = cursor_bytes(&c, key_size);
    return key && n && data_size <= cursor_left(&c) && md5_name_ref(key, key_size) == hash;
}

/* An entry of a bucket of which no item was met. */
static void check_entry(struct table *t, uint64_t i, uint64_t offset, bool whole)
{
    struct error_at at = {"indexed.table.buckets", t->k->places.hash_offset + 16 + 8 * i, offset, 0};
    bool met = sort_has_number(t->groups, t->n_groups, offset);
    if (met && whole)
        check_at(t->k->c, APF_SEVERITY_WARNING, APF_INCONSISTENT, at,
                 "an empty bucket that has the place of another one");
    else if (!met && is_bucket(t->k, offset))
        check_at(t->k->c, APF_SEVERITY_ERROR, APF_INCONSISTENT, at,
                 "a bucket that the number of entries does not count: LLVM's tools do not read it");
    else if (!met)
        check_at(t->k->c, APF_SEVERITY_ERROR, APF_INCONSISTENT, at, "no bucket begins there");
}

/* Entries of other buckets were compared with where their items are. */
static void check_array(struct table *t, bool whole)
{
    for (uint64_t i = 0; i < t->n_buckets && t->k->c->code == APF_OK; i++) {
        uint64_t offset = bucket_word(t, i);
        if (offset && !t->owners[i])
            check_entry(t, i, offset, whole);
    }
}

static bool take_starts(struct table *t, struct arena *arena)
{
    uint64_t *scratch = arena_array(arena, t->n_buckets, sizeof *scratch);
    t->starts = arena_array(arena, t->n_buckets, sizeof *t->starts);
    t->groups = arena_array(arena, t->n_items, sizeof *t->groups);
    t->owners = arena_zeros(arena, t->n_buckets, sizeof *t->owners);
    if (!scratch || !t->starts || !t->groups || !t->owners)
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
    k->payload = p->payload;
    if (p->hash_offset > k->n || k->n - p->hash_offset < 16 || p->hash_offset < p->payload) {
        check_bound(k->c, APF_SEVERITY_ERROR, APF_TRUNCATED,
                    check_spot("indexed.header.hash_offset", INDEXED_HASH_OFFSET_AT, p->hash_offset,
                               p->hash_offset < p->payload ? p->payload : last),
                    "hash table lies outside the file");
        return false;
    }
    uint64_t n = load64le(k->data + p->hash_offset), room = (k->n - p->hash_offset - 16) / 8;
    struct error_at buckets = {"indexed.table.num_buckets", p->hash_offset, n, room};
    if (!n || n & (n - 1)) {
        buckets.expected = indexed_bucket_number(n);
        check_at(k->c, APF_SEVERITY_ERROR, APF_MALFORMED, buckets, "number of buckets is no power of two");
        return false;
    }
    if (n > room) {
        check_bound(k->c, APF_SEVERITY_ERROR, APF_MALFORMED, buckets, "more buckets than fit in the file");
        return false;
    }
    uint64_t items = load64le(k->data + p->hash_offset + 8),
             most = (p->hash_offset - k->payload) / INDEXED_ITEM_HEAD;
    if (items > most)
        check_bound(k->c, APF_SEVERITY_ERROR, APF_TRUNCATED,
                    check_spot("indexed.table.num_entries", p->hash_offset + 8, items, most),
                    "more entries than fit in the table");
    return items <= most;
}

/* ---- where it begins ---- */

/* Behind the summaries. Where these are damaged, the first bucket that the array knows is there; and it is believed as
 * well where there is none behind them. */
static uint64_t find_payload(const struct table *t)
{
    const struct indexed_places *p = &t->k->places;
    bool damaged = p->version->caps & INDEXED_CAP_SUMMARY &&
                   (!p->summary.size || (p->variant & APF_VARIANT_CS && !p->cs_summary.size));
    uint64_t first = t->n_starts ? t->starts[0] : 0;
    bool known = first >= p->version->header_size && first < p->hash_offset && is_bucket(t->k, first);
    return known && first != p->payload && (damaged || !is_bucket(t->k, p->payload)) ? first : p->payload;
}

static void check_payload_start(struct table *t)
{
    struct indexed_checker *k = t->k;
    bool summary = k->places.summary.size != 0;
    uint64_t at = find_payload(t);
    if (at != k->payload && summary && (!(k->places.variant & APF_VARIANT_CS) || k->places.cs_summary.size))
        check_at(k->c, APF_SEVERITY_ERROR, APF_INCONSISTENT,
                 check_spot("indexed.summary", k->places.summary.at, k->payload, at),
                 "the summaries do not end where the functions begin");
    k->payload = at;
}

/* Where the head of the table is damaged, there is no way through it. */
static void take_without_head(struct indexed_checker *k)
{
    struct apf_salvage found;
    struct read_options options = *k->c->options;
    options.flags |= APF_FLAG_DROP_MEMPROF;
    if (indexed_salvage(k->profile->instr, k->data, k->n, &options, &found, NULL) == APF_NO_MEMORY)
        check_memory(k->c);
    k->profile->records_lost = true;
    indexed_check_note_damaged(k, k->places.payload);
    indexed_check_note_damaged(k, k->places.hash_offset + 16 + 8 * k->places.n_buckets);
}

void indexed_check_table(struct indexed_checker *k)
{
    struct table t = {.k = k};
    struct arena arena = {0};
    if (!check_head(k)) {
        take_without_head(k);
        return;
    }
    if (k->places.hash_offset % 8)
        check_at(k->c, APF_SEVERITY_NOTE, APF_NOTE,
                 check_spot("indexed.header.hash_offset", INDEXED_HASH_OFFSET_AT, k->places.hash_offset,
                            align8(k->places.hash_offset)),
                 "the buckets are not aligned");
    t.n_buckets = k->places.n_buckets;
    t.n_items = load64le(k->data + k->places.hash_offset + 8);
    if (take_starts(&t, &arena)) {
        check_payload_start(&t);
        bool whole = check_payload(&t);
        k->profile->records_lost = k->profile->records_lost || !whole;
        check_no_function(k->c);
        check_array(&t, whole);
        indexed_tell_tallies(k, &t.tallies);
    } else {
        check_memory(k->c);
    }
    arena_free(&arena);
}
