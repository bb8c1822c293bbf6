/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Reads the names of all functions, and finds local ones by their names without the files. */
#include <string.h>

#include "base/error.h"
#include "base/options.h"
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

static bool is_local(struct apf_str name, struct apf_str wanted)
{
    struct apf_str plain = plain_name(name);
    return plain.n != name.n && plain.n == wanted.n && memcmp(plain.p, wanted.p, wanted.n) == 0;
}

/* Finds the local functions of a name. Their items do not overlap, so that reading them is linear in the file. */
static int find_places(struct apf_lookup *l, struct apf_str wanted, struct places *found,
                       struct apf_error *error)
{
    int code = APF_OK;
    struct name_walk w = walk_start(l);
    while (code == APF_OK && w.next < w.n) {
        struct place place = {{NULL, 0}, 0};
        code = walk_next(&w, &place, error);
        if (code != APF_OK || !is_local(place.name, wanted))
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

/* Keeps the records with a hash. */
static int choose_hash(struct apf_lookup *l, struct apf_str name, uint64_t hash, struct apf_error *error)
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

static int find_local(struct apf_lookup *l, struct apf_str name, const uint64_t *hash, struct places *found,
                      struct apf_error *error)
{
    int code = name.n ? find_places(l, name, found, error) : APF_OK;
    for (size_t i = 0; code == APF_OK && i < found->list.n; i++)
        code = add_place(l, &found->list.data[i], error);
    if (code == APF_OK && hash)
        code = choose_hash(l, name, *hash, error);
    return code == APF_OK && !l->records.n ? lookup_unknown(name, error) : code;
}

int lookup_find_local(struct apf_lookup *l, struct apf_str name, const uint64_t *hash, size_t *n,
                      struct apf_error *error)
{
    struct places found = {{0}};
    lookup_forget(l);
    int code = find_local(l, name, hash, &found, error);
    VEC_FREE(&found.list);
    *n = code == APF_OK ? l->records.n : 0;
    return lookup_ended(l, code, error);
}

int apf_lookup_find_local(struct apf_lookup *lookup, struct apf_str name, size_t *n, struct apf_error *error)
{
    return lookup_find_local(lookup, name, NULL, n, error);
}
