/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Reads the names of all functions, and finds local ones by their names without the files. */
#include <string.h>

#include "base/error.h"
#include "base/options.h"
#include "base/text_bytes.h"
#include "base/vec.h"
#include "instr/layout/releases.h"
#include "instr/lookup/lookup_model.h"

/* ---- all names ---- */

/* A walk over the names, in the order of the file. */
struct name_walk {
    struct apf_lookup *lookup;
    struct disk_walk items;
    uint64_t next, n; /* number of the next record or item, and of all of them */
};

/* A name, and where it is. */
struct place {
    struct apf_str name; /* valid until the next read */
    uint64_t at;         /* number of its record in the whole profile, or offset of its item in the table */
};

static struct name_walk walk_start(struct apf_lookup *l)
{
    struct name_walk w = {.lookup = l};
    w.n = l->whole ? l->whole->records.n : l->indexed.table.n_items;
    if (!l->whole)
        w.items = disk_walk_from(&l->indexed.table, l->indexed.table.payload);
    return w;
}

/* Reads the next name; there must be one. */
static int walk_next(struct name_walk *w, struct place *place, struct apf_error *error)
{
    struct apf_lookup *l = w->lookup;
    struct disk_item item;
    place->at = w->next++;
    if (l->whole) {
        place->name = record_name(l->whole, &l->whole->records.data[place->at]);
        return APF_OK;
    }
    int code = disk_walk_next(&w->items, &item, error);
    if (code != APF_OK)
        return code;
    place->at = item.at;
    return lookup_indexed_key(&l->indexed, &item, &place->name, error);
}

/* The name of a local function without its file; any other name as it is. */
static struct apf_str plain_name(struct apf_str name)
{
    size_t at = name.p ? local_name_split(name.p, name.n, ';') : 0;
    if (name.p && !at)
        at = local_name_split(name.p, name.n, ':');
    struct apf_str plain = {at ? name.p + at + 1 : name.p, at ? name.n - at - 1 : name.n};
    return plain;
}

int apf_lookup_names(struct apf_lookup *l, apf_lookup_name_fn *fn, void *user, struct apf_error *error)
{
    int code = APF_OK;
    lookup_forget(l);
    struct name_walk w = walk_start(l);
    while (code == APF_OK && w.next < w.n) {
        struct place place = {{NULL, 0}, 0};
        code = walk_next(&w, &place, error);
        if (code == APF_OK && fn(user, place.name, plain_name(place.name)) != 0)
            code = error_plain(error, APF_STOPPED, "lookup.names", NULL);
    }
    return lookup_ended(l, code, error);
}

/* ---- local functions ---- */

struct places {
    VEC(struct place) list;
};

static bool place_before(const void *context, const void *a, const void *b)
{
    const struct place *x = (const struct place *)a, *y = (const struct place *)b;
    return sort_text_before(context, &x->name, &y->name);
}

/* An apf_name_filter_fn: the local functions of a name. */
static int is_local(void *user, struct apf_str name)
{
    const struct apf_str *wanted = (const struct apf_str *)user;
    struct apf_str plain = plain_name(name);
    return plain.n != name.n && text_equal(plain, *wanted);
}

/* Finds the functions that are wanted. Their items do not overlap, so that reading them is linear in the file. */
static int find_places(struct apf_lookup *l, apf_name_filter_fn *wanted, void *user, struct places *found,
                       struct apf_error *error)
{
    int code = APF_OK;
    struct name_walk w = walk_start(l);
    while (code == APF_OK && w.next < w.n) {
        struct place place = {{NULL, 0}, 0};
        code = walk_next(&w, &place, error);
        const int is_wanted = code == APF_OK ? wanted(user, place.name) : 0;
        if (is_wanted < 0)
            code = error_memory(error);
        if (is_wanted <= 0)
            continue;
        place.name.p = arena_text(&l->names, place.name.p, place.name.n);
        if (!place.name.p || !VEC_PUSH(&found->list, place))
            code = error_memory(error);
    }
    if (code == APF_OK && found->list.n && !SORT_VEC(&found->list, place_before, NULL))
        code = error_memory(error);
    return code;
}

static int add_place(struct apf_lookup *l, const struct place *place, struct apf_error *error)
{
    struct disk_item item;
    if (l->whole)
        return lookup_add_record(l, l->whole, &l->whole->records.data[place->at], place->name, error);
    int code = disk_table_item(&l->indexed.table, place->at, &item, error);
    return code == APF_OK ? lookup_add_item(l, &item, place->name, error) : code;
}

int lookup_choose_hash(struct apf_lookup *l, struct apf_str name, uint64_t hash, struct apf_error *error)
{
    size_t kept = 0;
    struct apf_record *records = l->records.data;
    for (size_t i = 0; i < l->records.n; i++)
        if (records[i].hash == hash)
            records[kept++] = records[i];
    if (!kept && l->records.n)
        return lookup_mismatch(l, name, hash, error);
    l->records.n = kept;
    return APF_OK;
}

/* Reads the records of all functions that are wanted. */
static int find_wanted(struct apf_lookup *l, apf_name_filter_fn *wanted, void *user, struct apf_error *error)
{
    struct places found = {{0}};
    int code = find_places(l, wanted, user, &found, error);
    for (size_t i = 0; code == APF_OK && i < found.list.n; i++)
        code = add_place(l, &found.list.data[i], error);
    VEC_FREE(&found.list);
    return code;
}

int lookup_find_local(struct apf_lookup *l, struct apf_str name, const uint64_t *hash, size_t *n,
                      struct apf_error *error)
{
    lookup_forget(l);
    int code = name.n ? find_wanted(l, is_local, &name, error) : APF_OK;
    if (code == APF_OK && hash)
        code = lookup_choose_hash(l, name, *hash, error);
    if (code == APF_OK && !l->records.n)
        code = lookup_unknown(name, error);
    *n = code == APF_OK ? l->records.n : 0;
    return lookup_ended(l, code, error);
}

int apf_lookup_find_local(struct apf_lookup *lookup, struct apf_str name, size_t *n, struct apf_error *error)
{
    return lookup_find_local(lookup, name, NULL, n, error);
}

int apf_lookup_find_wanted(struct apf_lookup *lookup, apf_name_filter_fn *wanted, void *user, size_t *n,
                           struct apf_error *error)
{
    lookup_forget(lookup);
    int code = find_wanted(lookup, wanted, user, error);
    if (code == APF_OK && !lookup->records.n)
        code = error_plain(error, APF_UNKNOWN_FUNCTION, "lookup.wanted", NULL);
    *n = code == APF_OK ? lookup->records.n : 0;
    return lookup_ended(lookup, code, error);
}
