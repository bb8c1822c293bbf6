/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The hash table of an indexed profile. LLVM's tools read it in two ways: item by item and, in compilers, from the
 * bucket of a name. Both are checked. */
#include "base/md5.h"
#include "base/search.h"
#include "base/sort.h"
#include "instr/check/indexed_check.h"
#include "instr/indexed/indexed_format.h"

struct table {
    struct indexed_checker *k;
    struct file_pages bytes;
    struct disk_table disk;
    struct indexed_tallies tallies;
    uint64_t *starts; /* offsets in the array of buckets, without zeros, ascending */
    size_t n_starts;
    uint64_t *owners; /* for each bucket, the offset in the payload where its items were found, or 0 */
    uint64_t *groups; /* offsets of the buckets found in the payload, ascending */
    size_t n_groups;
    uint64_t bucket; /* offset of the present bucket */
};

static uint64_t bucket_word(const struct table *t, uint64_t i)
{
    return load64le(t->k->data + t->k->places.hash_offset + 16 + 8 * i);
}

/* ---- items ---- */

/* Checks that an item is in the bucket of its key. */
static void check_bucket(struct table *t, uint64_t hash)
{
    uint64_t number = hash & (t->disk.n_buckets - 1), offset = bucket_word(t, number);
    t->owners[number] = t->bucket;
    if (offset != t->bucket)
        check_at(t->k->c, APF_SEVERITY_ERROR, APF_INCONSISTENT,
                 check_spot("indexed.table.buckets", disk_table_slot(&t->disk, hash), offset, t->bucket),
                 "it is in the wrong bucket: compilers do not find it");
}

/* Reads an item that may be damaged, for profile_check. `errors`: the number of errors before it. */
static void read_item(struct table *t, const struct disk_item *item, uint64_t errors)
{
    struct check_profile *p = t->k->profile;
    struct apf_error error;
    if (p->whole)
        return;
    int code = t->k->c->n[APF_SEVERITY_ERROR] == errors ? indexed_read_item(&t->k->reader, item, &error)
                                                        : APF_MALFORMED;
    if (code == APF_NO_MEMORY)
        check_memory(t->k->c);
    p->records_lost = p->records_lost || code != APF_OK;
}

static void check_item(struct table *t, const struct disk_item *item)
{
    struct check *out = t->k->c;
    struct apf_str name = {(const char *)t->k->data + item->key, item->n_key};
    struct cursor data = cursor_make_at(t->k->data + item->data, item->n_data, item->data, HOST_BIG_ENDIAN);
    uint64_t errors = out->n[APF_SEVERITY_ERROR], id = md5_name_ref(name.p, name.n);
    check_function(out, name, 0);
    if (id != item->hash)
        check_at(out, APF_SEVERITY_ERROR, APF_MALFORMED,
                 check_spot("indexed.table.item.hash", item->at, item->hash, id),
                 "hash of the name does not match the name");
    if (item->n_data == 0)
        check_at(out, APF_SEVERITY_ERROR, APF_MALFORMED,
                 check_spot("indexed.table.item.data_size", item->at + 16, 0, 16), "profile data is empty");
    indexed_check_records(t->k, &data, name, &t->tallies);
    read_item(t, item, errors);
    check_function(out, name, 0);
    check_bucket(t, item->hash);
}

/* ---- the payload ---- */

/* Continues after damage at the next bucket of the array. False: none. */
static bool resume_walk(const struct table *t, struct disk_walk *walk, uint64_t from)
{
    size_t i;
    SEARCH(i, (size_t)0, t->n_starts, t->starts[i] <= from);
    if (i == t->n_starts || t->starts[i] >= t->disk.end)
        return false;
    *walk = disk_walk_from(&t->disk, t->starts[i]);
    return true;
}

void indexed_check_unclaimed(struct indexed_checker *k, uint64_t at, uint64_t n)
{
    struct error_at place = {"indexed.unclaimed", at, n, 0};
    if (bytes_zero(k->data + at, n))
        check_at(k->c, APF_SEVERITY_NOTE, APF_NOTE, place, "zeros that belong to no part of the profile");
    else if (n >= 8 && load64le(k->data + at) == INDEXED_MAGIC)
        check_at(k->c, APF_SEVERITY_WARNING, APF_INCONSISTENT, place,
                 "another profile, which no reader reads: 'anyprof merge' joins profiles");
    else
        check_at(k->c, APF_SEVERITY_WARNING, APF_INCONSISTENT, place,
                 "bytes that belong to no part of the profile");
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

/* Records the bucket that begins at t->bucket, once. */
static void record_bucket(struct table *t, uint64_t at)
{
    bool met = t->n_groups && t->bucket == at;
    t->bucket = at;
    if (!met && t->n_groups < t->disk.n_items)
        t->groups[t->n_groups++] = at;
}

/* Reports where the walk cannot continue; the name of an item is known if only its data does not fit. */
static void check_fault(struct table *t, const struct disk_walk *walk, const struct disk_item *item,
                        const struct apf_error *error)
{
    struct apf_str name = {(const char *)t->k->data + item->key, item->n_key};
    record_bucket(t, walk->left ? walk->bucket : walk->at);
    if (item->key)
        check_function(t->k->c, name, 0);
    check_failure(t->k->c, error);
}

/* Checks the payload bucket by bucket, as LLVM reads it, without the array. False: a part was not read. */
static bool check_payload(struct table *t)
{
    struct disk_walk walk = disk_walk_from(&t->disk, t->k->payload);
    bool whole = true;
    for (uint64_t done = 0; done < t->disk.n_items && t->k->c->code == APF_OK;) {
        struct disk_item item = {0};
        struct apf_error error;
        check_no_function(t->k->c);
        if (disk_walk_next(&walk, &item, &error) == APF_OK) {
            record_bucket(t, walk.bucket);
            check_item(t, &item);
            done++;
            continue;
        }
        whole = false;
        check_fault(t, &walk, &item, &error);
        done += walk.left != 0; /* the file's count includes a damaged item */
        if (!resume_walk(t, &walk, t->bucket))
            return false;
    }
    check_no_function(t->k->c);
    if (whole && t->k->c->code == APF_OK)
        check_end(t, walk.at);
    return whole;
}

/* ---- the array ---- */

/* Whether a bucket begins at an offset: the name of its first item must have its hash. */
static bool is_bucket(const struct table *t, uint64_t at)
{
    struct disk_walk walk = disk_walk_from(&t->disk, at);
    struct disk_item item;
    return disk_walk_next(&walk, &item, NULL) == APF_OK &&
           md5_name_ref(t->k->data + item.key, item.n_key) == item.hash;
}

/* Checks an entry of the array for a bucket whose items were not found. */
static void check_entry(struct table *t, uint64_t i, uint64_t offset, bool whole)
{
    struct error_at at = {"indexed.table.buckets", t->k->places.hash_offset + 16 + 8 * i, offset, 0};
    bool met = sort_has_number(t->groups, t->n_groups, offset);
    if (met && whole)
        check_at(t->k->c, APF_SEVERITY_WARNING, APF_INCONSISTENT, at,
                 "an empty bucket at the place of another one");
    else if (!met && is_bucket(t, offset))
        check_at(t->k->c, APF_SEVERITY_ERROR, APF_INCONSISTENT, at,
                 "a bucket that the number of entries does not count: LLVM's tools do not read it");
    else if (!met)
        check_at(t->k->c, APF_SEVERITY_ERROR, APF_INCONSISTENT, at, "no bucket begins there");
}

/* Checks the entries of the array; those of buckets with items were compared with the payload. */
static void check_array(struct table *t, bool whole)
{
    for (uint64_t i = 0; i < t->disk.n_buckets && t->k->c->code == APF_OK; i++) {
        uint64_t offset = bucket_word(t, i);
        if (offset && !t->owners[i])
            check_entry(t, i, offset, whole);
    }
}

static bool collect_starts(struct table *t, struct arena *arena)
{
    uint64_t *scratch = arena_array(arena, t->disk.n_buckets, sizeof *scratch);
    t->starts = arena_array(arena, t->disk.n_buckets, sizeof *t->starts);
    t->groups = arena_array(arena, t->disk.n_items, sizeof *t->groups);
    t->owners = arena_zeros(arena, t->disk.n_buckets, sizeof *t->owners);
    if (!scratch || !t->starts || !t->groups || !t->owners)
        return false;
    for (uint64_t i = 0; i < t->disk.n_buckets; i++) {
        uint64_t offset = bucket_word(t, i);
        if (offset)
            t->starts[t->n_starts++] = offset;
    }
    sort_numbers(t->starts, scratch, t->n_starts);
    return true;
}

/* Opens the table. False: the reader cannot continue either. */
static bool open_table(struct table *t)
{
    struct indexed_checker *k = t->k;
    struct apf_error error;
    k->payload = k->places.payload;
    t->bytes = file_pages_of(k->data, k->n);
    t->disk.kind = &indexed_functions;
    t->disk.pages = &t->bytes;
    t->disk.payload = k->payload;
    t->disk.end = k->places.hash_offset;
    int code = disk_table_open(&t->disk, &error);
    if (code == APF_OK)
        code = disk_table_check_items(&t->disk, &error);
    if (code != APF_OK)
        check_failure(k->c, &error);
    return code == APF_OK;
}

/* ---- where it begins ---- */

/* The offset of the payload: after the summaries or, if these are damaged or no bucket follows them, at the first
 * bucket of the array. */
static uint64_t find_payload(const struct table *t)
{
    const struct indexed_places *p = &t->k->places;
    bool damaged = p->version->caps & INDEXED_CAP_SUMMARY &&
                   (!p->summary.size || (p->variant & APF_VARIANT_CS && !p->cs_summary.size));
    uint64_t first = t->n_starts ? t->starts[0] : 0;
    bool known = first >= p->version->header_size && first < p->hash_offset && is_bucket(t, first);
    return known && first != p->payload && (damaged || !is_bucket(t, p->payload)) ? first : p->payload;
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

/* Reads the items of a table with a damaged head, which cannot be walked. */
static void read_without_head(struct indexed_checker *k)
{
    struct apf_salvage found = {0};
    struct read_options options = *k->profile->options;
    options.flags |= APF_FLAG_DROP_MEMPROF;
    if (indexed_salvage(k->profile->instr, k->data, k->n, &options, &found, NULL) == APF_NO_MEMORY)
        check_memory(k->c);
    k->profile->records_lost = true;
    indexed_check_damaged(k, k->places.payload);
    indexed_check_damaged(k, k->places.hash_offset + 16 + 8 * k->places.n_buckets);
}

void indexed_check_table(struct indexed_checker *k)
{
    struct table t = {.k = k};
    struct arena arena = {0};
    if (!open_table(&t)) {
        read_without_head(k);
        return;
    }
    if (k->places.hash_offset % 8)
        check_at(k->c, APF_SEVERITY_NOTE, APF_NOTE,
                 check_spot("indexed.header.hash_offset", INDEXED_HASH_OFFSET_AT, k->places.hash_offset,
                            align8(k->places.hash_offset)),
                 "the buckets are not aligned");
    if (collect_starts(&t, &arena)) {
        check_payload_start(&t);
        bool whole = check_payload(&t);
        k->profile->records_lost = k->profile->records_lost || !whole;
        check_no_function(k->c);
        check_array(&t, whole);
        indexed_report_tallies(k, &t.tallies);
    } else {
        check_memory(k->c);
    }
    arena_free(&arena);
}
