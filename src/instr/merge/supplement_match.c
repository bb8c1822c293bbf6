/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "instr/merge/supplement_match.h"

#include "base/error.h"
#include "base/md5.h"

/* What counts of a function count for. */
#define NO_MATCH UINT32_MAX

/* ---- the functions of the view ---- */

static uint32_t find_name(const struct supplement_matches *m, uint64_t id)
{
    uint32_t e;
    HASH_INDEX_FIND(e, &m->by_name, hash_index_mix(&m->by_name, id, 0), m->list.data[e].id == id);
    return e;
}

static struct supplement_local *find_local(const struct supplement_matches *m, uint64_t id)
{
    uint32_t e;
    HASH_INDEX_FIND(e, &m->by_local, hash_index_mix(&m->by_local, id, 0), m->locals.data[e].id == id);
    return e == HASH_INDEX_NONE ? NULL : &m->locals.data[e];
}

/* Makes a name that several local functions have one of none of them. */
static int set_several(struct supplement_matches *m, struct supplement_local *local, struct apf_str name,
                       struct apf_error *error)
{
    struct supplement_match several = {.record = SUPPLEMENT_SEVERAL};
    if (m->list.data[local->match].record == SUPPLEMENT_SEVERAL)
        return APF_OK;
    several.several.p = arena_text(&m->text, name.p, name.n);
    several.several.n = name.n;
    local->match = (uint32_t)m->list.n;
    return several.several.p && VEC_PUSH(&m->list, several) ? APF_OK : error_memory(error);
}

/* Adds the name that the sample profile has for the local function of a match. */
static int add_local(struct supplement_matches *m, struct apf_str name, uint32_t match,
                     struct apf_error *error)
{
    uint64_t id = md5_name_ref(name.p, name.n);
    struct supplement_local *known = find_local(m, id), local = {id, match};
    if (known)
        return set_several(m, known, name, error);
    if (!hash_index_reserve(&m->by_local, 1) || !VEC_RESERVE(&m->locals, 1))
        return hash_index_error(&m->by_local, error);
    hash_index_add(&m->by_local, hash_index_mix(&m->by_local, id, 0), (uint32_t)m->locals.n);
    m->locals.data[m->locals.n++] = local;
    return APF_OK;
}

static int add_function(struct supplement_matches *m, const struct apf_instr *view, uint32_t record,
                        struct supplement_name *local, bool unique, struct apf_error *error)
{
    const struct record *r = &view->records.data[record];
    struct supplement_match match = {.id = r->id, .record = record};
    uint32_t number = (uint32_t)m->list.n;
    if (!hash_index_reserve(&m->by_name, 1) || !VEC_RESERVE(&m->list, 1))
        return hash_index_error(&m->by_name, error);
    hash_index_add(&m->by_name, hash_index_mix(&m->by_name, r->id, 0), number);
    m->list.data[m->list.n++] = match;
    if (!supplement_name_find(local, record_name(view, r), unique))
        return error_memory(error);
    return local->name.n ? add_local(m, local->name, number, error) : APF_OK;
}

/* Adds the functions that have one record: of several, that of the code that runs is not known. */
static int add_functions(struct supplement_matches *m, const struct apf_instr *view, bool unique,
                         struct apf_error *error)
{
    const struct record *records = view->records.data;
    struct supplement_name local = {0};
    int code = view->records.n < SUPPLEMENT_SEVERAL / 2
                   ? APF_OK
                   : error_plain(error, APF_TOO_LARGE, "merge.records", NULL);
    for (size_t i = 0, end; code == APF_OK && i < view->records.n; i = end) {
        for (end = i + 1; end < view->records.n && records[end].id == records[i].id; end++)
            continue;
        if (end == i + 1)
            code = add_function(m, view, (uint32_t)i, &local, unique, error);
    }
    VEC_FREE(&local.text);
    return code;
}

/* ---- the samples ---- */

/* Adds a function of the sample profile to what it counts for; `root` is that of the function it is inlined in, or
 * NO_MATCH. Returns what functions inlined in it count for. The entries of a function that the view does not have are
 * not those of its caller; LLVM adds them nevertheless where its name is that of several. */
static uint32_t add_samples(struct supplement_matches *m, const struct apf_supplement_function *f,
                            uint32_t root)
{
    uint64_t entries = f->entries;
    uint32_t match = find_name(m, f->hash);
    if (match == HASH_INDEX_NONE) {
        const struct supplement_local *local = find_local(m, f->hash);
        match = local ? local->match : root;
        if (!local)
            entries = 0;
        else if (f->depth && m->list.data[match].record == SUPPLEMENT_SEVERAL)
            match = root;
    }
    if (match == NO_MATCH)
        return match;
    struct supplement_match *to = &m->list.data[match];
    to->sampled = true;
    if (ADD_OVERFLOWS(to->entries, entries, &to->entries))
        to->entries = UINT64_MAX;
    to->hottest = to->hottest < f->hottest ? f->hottest : to->hottest;
    return match;
}

static int add_all_samples(struct supplement_matches *m, const struct apf_supplement *samples,
                           struct apf_error *error)
{
    VEC(uint32_t) roots = {NULL, 0, 0}; /* of the function at each depth */
    bool ok = true;
    for (size_t i = 0; ok && i < samples->n_functions; i++) {
        const struct apf_supplement_function *f = &samples->functions[i];
        roots.n = f->depth;
        uint32_t root = f->depth && roots.data ? roots.data[f->depth - 1] : NO_MATCH;
        ok = VEC_PUSH(&roots, add_samples(m, f, root));
    }
    VEC_FREE(&roots);
    return ok ? APF_OK : error_memory(error);
}

int supplement_matches_make(struct supplement_matches *m, const struct apf_instr *view,
                            const struct apf_supplement *samples, struct apf_error *error)
{
    int code = add_functions(m, view, samples->unique_names != 0, error);
    return code == APF_OK ? add_all_samples(m, samples, error) : code;
}

void supplement_matches_free(struct supplement_matches *m)
{
    VEC_FREE(&m->list);
    VEC_FREE(&m->locals);
    hash_index_free(&m->by_name);
    hash_index_free(&m->by_local);
    arena_free(&m->text);
}
