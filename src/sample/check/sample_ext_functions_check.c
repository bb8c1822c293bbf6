/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Contexts, functions and the tables of their offsets in extbinary profiles. */
#include <stdlib.h>

#include "base/error.h"
#include "base/sort.h"
#include "sample/check/sample_ext_check.h"
#include "sample/layout/sample_layout.h"

void sample_ext_check_key(struct sample_checker *k, const struct sample_decoder *d, uint64_t key)
{
    if (d->has_contexts && key < d->contexts.n && d->contexts.data[key] != SAMPLE_NONE)
        sample_check_context(k, d->s, d->contexts.data[key]);
    else
        sample_check_entry_name(k, d, key);
}

/* ---- contexts ---- */

/* The place of each context in LLVM's order; NULL: allocation failed. The caller frees it. */
static uint32_t *rank_contexts(struct sample_ext_checker *x)
{
    struct apf_sample *s = x->d.s;
    uint32_t *names = NULL, *ranks = NULL;
    int code = sample_names_rank(&s->names, &names, NULL);
    if (code == APF_OK)
        code = sample_contexts_rank(&s->contexts, names, &ranks, NULL);
    free(names);
    if (code != APF_OK)
        check_memory(x->k->c);
    return code == APF_OK ? ranks : NULL;
}

/* Checks that contexts ascend, as LLVM writes them. */
static void check_context_order(struct sample_ext_checker *x, const struct sample_section *section)
{
    const uint32_t *list = x->d.contexts.data;
    uint64_t n_unsorted = 0, n_repeated = 0;
    uint32_t *ranks = x->d.table.names.n ? rank_contexts(x) : NULL; /* hashes may be in the order of names */
    for (size_t i = 1; ranks && i < x->d.contexts.n; i++) {
        n_unsorted += ranks[list[i - 1]] > ranks[list[i]];
        n_repeated += list[i - 1] == list[i];
    }
    free(ranks);
    if (n_unsorted)
        check_at(x->k->c, APF_SEVERITY_NOTE, APF_NOTE,
                 check_spot("sample.ext.contexts.order", section->offset, n_unsorted, 0),
                 "contexts are not sorted");
    if (n_repeated)
        check_at(x->k->c, APF_SEVERITY_NOTE, APF_NOTE,
                 check_spot("sample.ext.contexts.repeated", section->offset, n_repeated, 0),
                 "contexts that are in the table twice");
}

/* Counts contexts whose last frame has a place. */
static void check_leaves(struct sample_ext_checker *x, const struct sample_section *section)
{
    struct cursor c = x->d.c;
    uint64_t n = cursor_uleb128(&c), n_placed = 0;
    for (uint64_t i = 0; i < n && !c.failed; i++) {
        uint64_t place = 0, n_frames = cursor_uleb128(&c);
        for (uint64_t f = 0; f < n_frames && !c.failed; f++) {
            (void)cursor_uleb128(&c);
            place = cursor_uleb128(&c);
            place |= cursor_uleb128(&c);
        }
        n_placed += place != 0;
    }
    if (n_placed && !c.failed)
        check_at(x->k->c, APF_SEVERITY_NOTE, APF_NOTE,
                 check_spot("sample.ext.contexts.leaf", section->offset, n_placed, 0),
                 "contexts with a place in their last frame, which means nothing");
}

void sample_ext_check_contexts(struct sample_ext_checker *x, const struct sample_section *section)
{
    struct apf_error error;
    if (!x->has_names)
        return;
    check_leaves(x, section);
    if (!sample_check_result(x->k, sample_ext_contexts(&x->d, &error), &error))
        return;
    x->has_contexts = true;
    sample_check_result(x->k, sample_part_end(&x->d, &error), &error);
    if (x->form != SAMPLE_CONTEXT_SECTION && x->d.contexts.n)
        check_at(x->k->c, APF_SEVERITY_NOTE, APF_NOTE,
                 check_spot("sample.ext.contexts", section->offset, x->d.contexts.n, 0),
                 "contexts in a profile that is not flagged as context-sensitive");
    if (x->k->c->code == APF_OK)
        check_context_order(x, section);
}

/* ---- tables of offsets ---- */

/* The number of keys that functions may have. */
static uint64_t count_keys(const struct sample_ext_checker *x)
{
    return x->form == SAMPLE_CONTEXT_SECTION ? x->d.contexts.n : x->d.table.n;
}

static bool has_keys(const struct sample_ext_checker *x)
{
    return x->form == SAMPLE_CONTEXT_SECTION ? x->has_contexts : x->has_names;
}

static bool read_entries(struct sample_ext_checker *x)
{
    struct sample_decoder *d = &x->d;
    uint64_t n, n_keys = count_keys(x);
    struct apf_error error;
    d->where = "sample.ext.offsets";
    if (!sample_check_result(x->k, sample_decode_count(d, &n, 2, "number of functions", &error), &error))
        return false;
    for (uint64_t i = 0; i < n; i++) {
        const uint8_t *start = d->c.p;
        uint64_t key = sample_decode_number(d), at = sample_decode_number(d);
        struct sample_listed entry = {key, at, sample_decode_offset(d, start)};
        if (d->c.failed)
            return sample_check_result(x->k, sample_decode_cut(d, "offset of a function", &error), &error);
        if (key >= n_keys) {
            d->c.p = start;
            return sample_check_result(x->k,
                                       sample_decode_bound(d, APF_SAMPLE_NAME_TABLE, key,
                                                           n_keys ? n_keys - 1 : 0, "key of a function",
                                                           &error),
                                       &error);
        }
        if (!VEC_PUSH(&x->entries, entry)) {
            check_memory(x->k->c);
            return false;
        }
    }
    return sample_check_result(x->k, sample_part_end(d, &error), &error);
}

/* For each context the innermost caller that has an entry. NULL: allocation failed; the caller frees it. */
static uint32_t *find_listed_callers(const struct sample_ext_checker *x)
{
    const struct sample_contexts *contexts = &x->d.s->contexts;
    uint8_t *listed = calloc(contexts->list.n + 1, 1);
    uint32_t *callers = malloc((contexts->list.n + 1) * sizeof *callers);
    for (size_t i = 0; listed && callers && i < x->entries.n; i++)
        listed[x->d.contexts.data[x->entries.data[i].key]] = 1;
    for (size_t i = 0; listed && callers && i < contexts->list.n; i++) {
        uint32_t caller = contexts->list.data[i].caller; /* a smaller number */
        callers[i] = caller == SAMPLE_NONE || listed[caller] ? caller : callers[caller];
    }
    if (!listed) {
        free(callers);
        callers = NULL;
    }
    free(listed);
    return callers;
}

/* Compilers go through the table of a context-sensitive profile in its order: from a context on whose function they
 * compile, they load those that follow as long as these begin like it. So all contexts that begin like one must follow
 * it directly. */
static void check_groups(struct sample_ext_checker *x)
{
    VEC(uint32_t) open = {NULL, 0, 0}; /* contexts that others may still follow, the outermost first */
    uint32_t *callers = find_listed_callers(x);
    uint8_t *is_open = calloc(x->d.s->contexts.list.n + 1, 1);
    bool ok = callers && is_open;
    if (!ok)
        check_memory(x->k->c);
    for (size_t i = 0; ok && i < x->entries.n && x->k->c->code == APF_OK; i++) {
        const struct sample_listed *entry = &x->entries.data[i];
        uint32_t context = x->d.contexts.data[entry->key], caller = callers[context];
        bool follows = caller == SAMPLE_NONE || is_open[caller];
        while (open.n && !(follows && open.data[open.n - 1] == caller))
            is_open[open.data[--open.n]] = 0;
        if (!follows) {
            sample_check_context(x->k, x->d.s, context);
            check_place(x->k->c, APF_SEVERITY_ERROR, APF_INCONSISTENT, "sample.ext.offsets.order",
                        entry->entry,
                        "the context does not follow those that it begins like: compilers may not find it");
            check_no_function(x->k->c);
        }
        is_open[context] = 1;
        if (!VEC_PUSH(&open, context))
            check_memory(x->k->c);
    }
    VEC_FREE(&open);
    free(callers);
    free(is_open);
}

static void check_table_order(struct sample_ext_checker *x, const struct sample_section *section)
{
    struct check *c = x->k->c;
    bool contexts = x->form == SAMPLE_CONTEXT_SECTION, flagged = section->flags & SAMPLE_OFFSETS_ORDERED;
    struct error_at at = {"sample.ext.offsets.ordered", section->entry + 8, section->flags,
                          section->flags ^ SAMPLE_OFFSETS_ORDERED};
    if (contexts && !flagged)
        check_at(c, APF_SEVERITY_ERROR, APF_INCONSISTENT, at,
                 "compilers need sorted offsets of the functions of a context-sensitive profile");
    else if (x->form == SAMPLE_NO_CONTEXTS && flagged)
        check_at(c, APF_SEVERITY_NOTE, APF_NOTE, at,
                 "sorted offsets, which only context-sensitive profiles need");
    if (contexts && c->code == APF_OK)
        check_groups(x);
}

/* The hash by which compilers find an entry. */
static uint64_t hash_of(const struct sample_ext_checker *x, uint64_t key)
{
    return sample_names_hash(&x->d.s->names, sample_decode_interned(&x->d, key));
}

/* Compilers know the entries by the hashes of their names; of entries with one hash the last one counts. */
static void check_hashes(struct sample_ext_checker *x)
{
    size_t n = x->entries.n;
    if (x->form != SAMPLE_NO_CONTEXTS || n == 0)
        return;
    struct sort_key *keys = malloc(2 * n * sizeof *keys);
    if (!keys) {
        check_memory(x->k->c);
        return;
    }
    for (size_t i = 0; i < n; i++) {
        struct sort_key key = {hash_of(x, x->entries.data[i].key), i};
        keys[i] = key;
    }
    sort_keys(keys, keys + n, n);
    for (size_t i = 1; i < n && x->k->c->code == APF_OK; i++) {
        const struct sample_listed *lost = &x->entries.data[keys[i - 1].value];
        uint64_t key = x->entries.data[keys[i].value].key;
        if (keys[i - 1].key != keys[i].key || lost->key == key)
            continue;
        sample_ext_check_key(x->k, &x->d, lost->key);
        check_at(x->k->c, APF_SEVERITY_ERROR, APF_INCONSISTENT,
                 check_spot("sample.ext.offsets.hash", lost->entry, lost->key, key),
                 "a later entry has the hash of this name, so that compilers do not find the function");
        check_no_function(x->k->c);
    }
    free(keys);
}

void sample_ext_check_offsets(struct sample_ext_checker *x, const struct sample_section *section)
{
    x->entries.n = 0;
    x->offsets = NULL;
    if (x->form == SAMPLE_CONTEXTS_MISSING || !has_keys(x))
        return;
    bool whole = read_entries(x);
    x->offsets = whole ? section : NULL;
    if (!whole || x->k->c->code != APF_OK)
        return;
    check_table_order(x, section);
    check_hashes(x);
}

/* ---- functions ---- */

/* Marks what the reader has not read as damaged, if it was refused. */
static void cut_listing(struct sample_ext_checker *x)
{
    struct sample_listing *l = &x->listing;
    if (x->k->whole)
        return;
    if (l->functions.n > x->n_unread) {
        l->end = l->functions.data[x->n_unread].at;
        l->functions.n = (size_t)x->n_unread;
        l->whole = false;
    }
    x->n_unread -= l->functions.n;
}

/* Compilers skip flat sections when they link with ThinLTO, since their functions were used before. */
static void check_flat(struct sample_ext_checker *x)
{
    const struct sample_listing *l = &x->listing;
    for (size_t i = 0; i < l->functions.n && x->k->c->code == APF_OK; i++) {
        const struct sample_start_at *f = &l->functions.data[i];
        if (!f->n_inlined)
            continue;
        sample_ext_check_key(x->k, &x->d, f->key);
        check_at(x->k->c, APF_SEVERITY_WARNING, APF_INCONSISTENT,
                 check_spot("sample.ext.function.flat", sample_decode_offset(&x->d, x->d.c.base + f->at),
                            f->n_inlined, 0),
                 "functions inlined in a function of a flat section, which compilers skip when they link");
        check_no_function(x->k->c);
    }
}

void sample_ext_check_functions(struct sample_ext_checker *x, const struct sample_section *section)
{
    struct sample_listing *l = &x->listing;
    if (x->form == SAMPLE_CONTEXTS_MISSING || !has_keys(x))
        return;
    l->where = "sample.ext.offsets.entry";
    l->unlisted = "sample.ext.offsets.missing";
    sample_listing_find(x->k, &x->d, l, UINT64_MAX);
    cut_listing(x);
    l->entries.n = 0;
    for (size_t i = 0; x->offsets && i < x->entries.n && x->k->c->code == APF_OK; i++)
        if (!VEC_PUSH(&l->entries, x->entries.data[i]))
            check_memory(x->k->c);
    if (section->flags & SAMPLE_FLAG_FLAT)
        check_flat(x);
    if (x->offsets)
        sample_listing_check(x->k, &x->d, l, sample_ext_check_key);
    else if (!sample_sections_find(&x->sections, SAMPLE_SECTION_OFFSETS))
        check_place(x->k->c, APF_SEVERITY_ERROR, APF_INCONSISTENT, "sample.ext.sections.offsets",
                    section->entry, "there is no table of offsets, so that compilers find no function");
    if (x->offsets && !l->whole)
        sample_listing_read_on(x->k, &x->d, l);
    x->offsets = NULL; /* the next functions have another one */
}
