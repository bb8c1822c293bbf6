/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/md5.h"
#include "base/options.h"
#include "base/search.h"
#include "base/sort.h"
#include "instr/layout/releases.h"
#include "instr/lookup/lookup_model.h"

#define MOST_HASHES 5u /* in a message */

/* ---- opening ---- */

static int index_records(struct apf_lookup *l, struct apf_error *error)
{
    size_t n = l->whole->records.n;
    struct sort_key *entries = arena_array(&l->whole->arena, 2 * n, sizeof *entries);
    if (!entries)
        return error_memory(error);
    for (size_t i = 0; i < n; i++) {
        entries[i].key = l->whole->records.data[i].id;
        entries[i].value = i;
    }
    sort_keys(entries, entries + n, n); /* records of one name keep the order of the file */
    l->entries = entries;
    return APF_OK;
}

static int open_whole(struct apf_lookup *l, const struct apf_input *input, const struct apf_options *o,
                      struct apf_error *error)
{
    struct apf_options all = *o;
    all.flags |= APF_FLAG_DROP_MEMPROF;
    int code = apf_instr_open(&l->whole, input, &all, error);
    if (code == APF_OK)
        code = index_records(l, error);
    if (code != APF_OK)
        return code;
    l->info.format = l->whole->info.format;
    l->info.version = l->whole->info.version;
    l->info.variant = l->whole->info.variant;
    l->info.n_names = l->whole->info.n_records;
    l->info.whole = 1;
    return APF_OK;
}

/* Opens the pages of an input. *indexed: it is an indexed profile whose pages can be read. */
static int open_pages(struct apf_lookup *l, const struct apf_input *input, bool *indexed,
                      struct apf_error *error)
{
    uint8_t magic[8] = {0};
    int code = file_pages_open(&l->indexed.pages, input, l->options.max_bytes, indexed, error);
    if (code != APF_OK || !*indexed)
        return code;
    if (l->indexed.pages.size >= sizeof magic)
        code = file_pages_read(&l->indexed.pages, 0, magic, sizeof magic, "indexed.header", error);
    *indexed = load64le(magic) == INDEXED_MAGIC;
    if (!*indexed)
        file_pages_close(&l->indexed.pages);
    return code;
}

static int open_lookup(struct apf_lookup *l, const struct apf_input *input, const struct apf_options *o,
                       struct apf_error *error)
{
    bool indexed = false;
    l->options = read_options_resolve(o);
    l->indexed.pages.fd = -1;
    l->scratch = profile_new();
    int code = l->scratch ? open_pages(l, input, &indexed, error) : error_memory(error);
    if (code != APF_OK)
        return code;
    return indexed ? lookup_indexed_open(l, error) : open_whole(l, input, o, error);
}

int apf_lookup_open(struct apf_lookup **lookup, const struct apf_input *input,
                    const struct apf_options *options, struct apf_error *error)
{
    struct apf_options o;
    *lookup = NULL;
    int code = common_options_read(&o, options, error);
    if (code == APF_OK)
        code = inputs_check(input, 1, error);
    if (code != APF_OK)
        return code;
    struct apf_lookup *l = calloc(1, sizeof *l);
    if (!l)
        return error_memory(error);
    struct apf_str file = file_name(input);
    l->file = malloc(file.n + 1);
    if (l->file)
        memcpy(l->file, file.p, file.n + 1);
    code = l->file ? open_lookup(l, input, &o, error) : error_memory(error);
    if (code == APF_OK)
        *lookup = l;
    else
        apf_lookup_close(l);
    return file_error(error, code, input, 0);
}

void apf_lookup_close(struct apf_lookup *l)
{
    if (!l)
        return;
    lookup_indexed_close(&l->indexed);
    apf_instr_close(l->whole);
    profile_free(l->scratch);
    arena_free(&l->names);
    free(l->file);
    hash_index_free(&l->targets_index);
    VEC_FREE(&l->targets);
    VEC_FREE(&l->records);
    free(l);
}

const struct apf_lookup_info *apf_lookup_info(const struct apf_lookup *l)
{
    return &l->info;
}

/* ---- one name ---- */

int lookup_add_record(struct apf_lookup *l, const struct apf_instr *from, const struct record *r,
                      struct apf_str name, struct apf_error *error)
{
    struct apf_record out;
    profile_record(from, r, &out);
    out.name = name;
    return VEC_PUSH(&l->records, out) ? APF_OK : error_memory(error);
}

static int find_in_whole(struct apf_lookup *l, struct apf_str name, uint64_t id, struct apf_error *error)
{
    size_t at, n = l->whole->records.n;
    int code = APF_OK;
    SEARCH(at, 0, n, l->entries[at].key < id);
    for (; code == APF_OK && at < n && l->entries[at].key == id; at++) {
        const struct record *r = &l->whole->records.data[l->entries[at].value];
        struct apf_str own = record_name(l->whole, r);
        if (own.n == name.n && (name.n == 0 || memcmp(own.p, name.p, name.n) == 0))
            code = lookup_add_record(l, l->whole, r, own, error);
    }
    return code;
}

int lookup_add_item(struct apf_lookup *l, const struct disk_item *item, struct apf_str name,
                    struct apf_error *error)
{
    size_t first = l->scratch->records.n;
    int code = lookup_indexed_records(l, item, md5_name_ref(name.p, name.n), error);
    struct apf_str own = {arena_text(&l->scratch->arena, name.p, name.n), name.n};
    if (code == APF_OK && !own.p)
        code = error_memory(error);
    for (size_t i = first; code == APF_OK && i < l->scratch->records.n; i++)
        code = lookup_add_record(l, l->scratch, &l->scratch->records.data[i], own, error);
    return code;
}

static int find_in_table(struct apf_lookup *l, struct apf_str name, uint64_t id, struct apf_error *error)
{
    struct disk_item item;
    bool found;
    int code = lookup_indexed_find(&l->indexed, id, &name, &item, &found, error);
    return code == APF_OK && found ? lookup_add_item(l, &item, name, error) : code;
}

static int find_records(struct apf_lookup *l, struct apf_str name, struct apf_error *error)
{
    uint64_t id = md5_name_ref(name.p, name.n);
    return l->whole ? find_in_whole(l, name, id, error) : find_in_table(l, name, id, error);
}

/* Searches the name of a local function as other releases make it. */
static int find_renamed(struct apf_lookup *l, struct apf_str name, struct apf_error *error)
{
    size_t at = local_name_split(name.p, name.n, ';');
    char other = at ? ':' : ';';
    if (!at)
        at = local_name_split(name.p, name.n, ':');
    if (!at)
        return APF_OK;
    char *renamed = arena_text(&l->names, name.p, name.n);
    if (!renamed)
        return error_memory(error);
    renamed[at] = other;
    name.p = renamed;
    return find_records(l, name, error);
}

void lookup_forget(struct apf_lookup *l)
{
    const struct arena_mark nothing = {0};
    arena_rewind(&l->scratch->arena, nothing);
    arena_rewind(&l->names, nothing);
    l->scratch->records.n = 0;
    l->records.n = 0;
    if (l->targets.n)
        hash_index_free(&l->targets_index);
    l->targets.n = 0;
    l->names_left = l->indexed.table.end;
}

int lookup_unknown(struct apf_str name, struct apf_error *error)
{
    return error_plain(error, APF_UNKNOWN_FUNCTION, "lookup", "%.*s", (int)(name.n < 100 ? name.n : 100),
                       name.p ? name.p : "");
}

int lookup_ended(struct apf_lookup *l, int code, struct apf_error *error)
{
    l->info.reads = l->indexed.pages.reads;
    l->info.read_bytes = l->indexed.pages.read_bytes;
    return code == APF_OK ? code : error_file(error, code, l->file, strlen(l->file));
}

static int find_all(struct apf_lookup *l, struct apf_str name, size_t *n, struct apf_error *error)
{
    *n = 0;
    if (!name.p)
        name.p = "";
    lookup_forget(l);
    int code = find_records(l, name, error);
    if (code == APF_OK && l->records.n == 0)
        code = find_renamed(l, name, error);
    if (code != APF_OK)
        return code;
    if (l->records.n == 0)
        return lookup_unknown(name, error);
    *n = l->records.n;
    return APF_OK;
}

int apf_lookup_find_all(struct apf_lookup *l, struct apf_str name, size_t *n, struct apf_error *error)
{
    return lookup_ended(l, find_all(l, name, n, error), error);
}

int apf_lookup_record(const struct apf_lookup *l, size_t i, struct apf_record *record,
                      struct apf_error *error)
{
    int code = RESULT_CHECK(apf_record, record, error);
    if (code != APF_OK || i >= l->records.n)
        return code == APF_OK ? APF_END : code;
    result_fill(record, sizeof l->records.data[i], &l->records.data[i]);
    return APF_OK;
}

/* Whether a record and a hash are both context-sensitive, or neither. */
static bool same_kind(const struct apf_record *r, uint64_t hash)
{
    return ((r->hash ^ hash) & APF_HASH_CS) == 0;
}

/* Finds the smallest hash of the kind of `hash` that is at least *least; false: none. */
static bool next_hash(const struct apf_record *records, size_t n, uint64_t hash, uint64_t least,
                      uint64_t *next)
{
    bool any = false;
    for (size_t i = 0; i < n; i++) {
        uint64_t h = records[i].hash;
        if (!same_kind(&records[i], hash) || h < least || (any && h >= *next))
            continue;
        *next = h;
        any = true;
    }
    return any;
}

/* Lists the hashes of the records of that kind. */
static int list_hashes(struct apf_str name, uint64_t hash, const struct apf_record *records, size_t n,
                       struct apf_error *error)
{
    uint64_t next = 0, least = 0, left = 0;
    unsigned shown = 0;
    if (!error)
        return APF_HASH_MISMATCH;
    error_set_plain(error, APF_HASH_MISMATCH, "lookup.hash", "%.*s has", (int)(name.n < 100 ? name.n : 100),
                    name.p);
    for (; shown < MOST_HASHES && next_hash(records, n, hash, least, &next); least = next + 1) {
        error->found = shown ? error->found : next;
        error_add(error, "%s0x%016llx", shown++ ? ", " : " ", (unsigned long long)next);
        if (next == UINT64_MAX)
            break;
    }
    for (size_t i = 0; i < n; i++)
        left += same_kind(&records[i], hash) && records[i].hash > next;
    if (left)
        error_add(error, " and %llu more", (unsigned long long)left);
    error_add(error, ", not 0x%016llx", (unsigned long long)hash);
    error->expected = hash;
    return APF_HASH_MISMATCH;
}

int lookup_mismatch(const struct apf_lookup *l, struct apf_str name, uint64_t hash, struct apf_error *error)
{
    bool any = false;
    for (size_t i = 0; i < l->records.n && !any; i++)
        any = same_kind(&l->records.data[i], hash);
    return any ? list_hashes(name, hash, l->records.data, l->records.n, error) : lookup_unknown(name, error);
}

static int find_at(struct apf_lookup *l, struct apf_str name, uint64_t hash, struct apf_record *record,
                   struct apf_error *error)
{
    size_t n;
    int code = find_all(l, name, &n, error);
    if (code != APF_OK)
        return code;
    for (size_t i = 0; i < n; i++)
        if (l->records.data[i].hash == hash)
            return apf_lookup_record(l, i, record, error);
    return lookup_mismatch(l, name, hash, error);
}

int apf_lookup_find(struct apf_lookup *l, struct apf_str name, uint64_t hash, struct apf_record *record,
                    struct apf_error *error)
{
    int code = RESULT_CHECK(apf_record, record, error);
    if (code != APF_OK)
        return code;
    return lookup_ended(l, find_at(l, name, hash, record, error), error);
}

/* ---- targets ---- */

static bool was_asked(const struct apf_lookup *l, uint64_t id, struct apf_str *name)
{
    uint64_t hash = hash_index_mix(&l->targets_index, id, 0);
    uint32_t e;
    HASH_INDEX_FIND(e, &l->targets_index, hash, l->targets.data[e].id == id);
    if (e != HASH_INDEX_NONE)
        *name = l->targets.data[e].name;
    return e != HASH_INDEX_NONE;
}

static int find_target(struct apf_lookup *l, uint64_t id, struct apf_str *name, struct apf_error *error)
{
    struct disk_item item;
    bool found;
    int code = lookup_indexed_find(&l->indexed, id, NULL, &item, &found, error);
    if (code != APF_OK)
        return code;
    if (found && item.n_key)
        return lookup_indexed_name(l, &item, name, error);
    return lookup_indexed_vtable(l, id, name, error);
}

static int remember_target(struct apf_lookup *l, uint64_t id, struct apf_str name, struct apf_error *error)
{
    struct lookup_target target = {id, name};
    if (!hash_index_reserve(&l->targets_index, 1) || !VEC_PUSH(&l->targets, target))
        return error_memory(error);
    hash_index_add(&l->targets_index, hash_index_mix(&l->targets_index, id, 0), (uint32_t)(l->targets.n - 1));
    return APF_OK;
}

int apf_lookup_name(struct apf_lookup *l, uint64_t id, struct apf_str *name, struct apf_error *error)
{
    struct apf_str found = {NULL, 0};
    *name = found;
    if (l->whole) {
        *name = apf_instr_name(l->whole, id);
        return APF_OK;
    }
    if (was_asked(l, id, name))
        return APF_OK;
    int code = find_target(l, id, &found, error);
    if (code == APF_OK)
        code = remember_target(l, id, found, error);
    if (code == APF_OK)
        *name = found;
    return lookup_ended(l, code, error);
}
