/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Finds functions of a profile in memory, and copies them to a profile of their own. */
#include <stdlib.h>

#include "base/error.h"
#include "base/md5.h"
#include "base/search.h"
#include "sample/lookup/sample_lookup_state.h"

/* ---- opening ---- */

static int order_functions(struct sample_whole *w, struct apf_error *error)
{
    const struct apf_sample *s = w->profile;
    size_t n = s->top.n;
    w->texts = calloc(2 * n + 1, sizeof *w->texts);
    w->hashes = calloc(2 * n + 1, sizeof *w->hashes);
    if (!w->texts || !w->hashes)
        return error_memory(error);
    for (size_t i = 0; i < n; i++) {
        const struct sample_name *name = &s->names.list.data[s->nodes.data[s->top.data[i]].name];
        struct sort_name text = {0, name->p, name->n, (uint32_t)i};
        struct sort_key hash = {name->hash, i};
        if (name->p)
            w->texts[w->n_texts++] = text;
        else
            w->hashes[w->n_hashes++] = hash;
    }
    sort_names(w->texts, w->texts + n, w->n_texts);
    sort_keys(w->hashes, w->hashes + n, w->n_hashes);
    return APF_OK;
}

int sample_whole_open(struct sample_whole *w, const struct apf_input *input,
                      const struct apf_sample_read_options *options, struct apf_error *error)
{
    int code = apf_sample_open(&w->profile, input, options, error);
    return code == APF_OK ? order_functions(w, error) : code;
}

void sample_whole_close(struct sample_whole *w)
{
    apf_sample_close(w->profile);
    free(w->texts);
    free(w->hashes);
    VEC_FREE(&w->path);
}

/* ---- copying ---- */

static int copy_name(const struct apf_sample *from, uint32_t number, struct apf_sample *to, uint32_t *name,
                     struct apf_error *error)
{
    const struct sample_name *n = &from->names.list.data[number];
    struct apf_str text = {n->p, n->n};
    uint32_t file = SAMPLE_NONE;
    if (!n->p)
        return sample_names_add_hash(&to->names, n->hash, name, error);
    if (n->file != SAMPLE_NONE) {
        int code = text_set_add(&to->names.files, from->names.files.list.data[n->file], &file, error);
        if (code != APF_OK)
            return code;
    }
    return sample_names_add(&to->names, text, file, false, name, error);
}

static int copy_context(struct sample_whole *w, uint32_t from, struct apf_sample *to, uint32_t *context,
                        struct apf_error *error)
{
    const struct sample_context *list = w->profile->contexts.list.data;
    uint32_t caller = SAMPLE_NONE, name;
    int code = APF_OK;
    *context = SAMPLE_NONE;
    w->path.n = 0;
    for (uint32_t c = from; c != SAMPLE_NONE; c = list[c].caller)
        if (!VEC_PUSH(&w->path, c))
            return error_memory(error);
    while (code == APF_OK && w->path.n) {
        const struct sample_context *c = &list[w->path.data[--w->path.n]];
        code = copy_name(w->profile, c->name, to, &name, error);
        if (code == APF_OK)
            code = sample_contexts_add(&to->contexts, caller, c->at, name, context, error);
        caller = code == APF_OK ? *context : caller;
    }
    return code;
}

static int copy_targets(const struct apf_sample *from, const struct sample_targets *list, bool vtables,
                        struct apf_sample *to, uint32_t node, struct apf_error *error)
{
    int code = APF_OK;
    for (uint32_t i = 0; code == APF_OK && i < list->n; i++) {
        const struct sample_target *t = &list->data[i];
        uint32_t name;
        code = copy_name(from, t->name, to, &name, error);
        if (code == APF_OK)
            code = vtables ? sample_append_vtable(to, node, t->at, name, t->count, error)
                           : sample_append_target(to, node, t->at, name, t->count, error);
    }
    return code;
}

/* Copies everything of a node but what is inlined in it. */
static int copy_contents(const struct apf_sample *from, const struct sample_node *f, struct apf_sample *to,
                         uint32_t node, struct apf_error *error)
{
    struct sample_node *copy = &to->nodes.data[node];
    copy->total = f->total;
    copy->head = f->head;
    copy->checksum = f->checksum;
    copy->attributes = f->attributes;
    int code = sample_copy_lines(to, node, &f->lines, error);
    if (code == APF_OK)
        code = copy_targets(from, &f->targets, false, to, node, error);
    if (code == APF_OK)
        code = copy_targets(from, sample_vtables(f), true, to, node, error);
    return code == APF_OK ? sample_add_time(to, node, sample_first_time(f), error) : code;
}

/* Copies what is inlined in a function; path[i] is the copy of the walk's node at depth i. */
static int copy_inlined(struct sample_whole *w, struct sample_walk *walk, struct apf_sample *to,
                        struct apf_error *error)
{
    bool more;
    int code = sample_walk_next(walk, &more, error);
    while (code == APF_OK && more) {
        const struct sample_node *f = &w->profile->nodes.data[walk->node];
        uint32_t name, node;
        code = copy_name(w->profile, f->name, to, &name, error);
        if (code == APF_OK)
            code = sample_inlined(to, w->path.data[walk->depth - 1], f->at, name, &node, error);
        if (code == APF_OK)
            code = copy_contents(w->profile, f, to, node, error);
        w->path.n = walk->depth;
        if (code == APF_OK && !VEC_PUSH(&w->path, node))
            code = error_memory(error);
        if (code == APF_OK)
            code = sample_walk_next(walk, &more, error);
    }
    return code;
}

static int copy_function(struct sample_whole *w, uint32_t top, struct apf_sample *to, struct apf_error *error)
{
    const struct sample_node *f = &w->profile->nodes.data[top];
    struct sample_walk walk = {.s = w->profile};
    uint32_t context, node;
    int code = copy_context(w, f->context, to, &context, error);
    if (code == APF_OK)
        code = sample_top(to, context, &node, error);
    if (code == APF_OK)
        code = copy_contents(w->profile, f, to, node, error);
    if (code != APF_OK)
        return code;
    w->path.n = 0;
    if (!VEC_PUSH(&w->path, node))
        return error_memory(error);
    sample_walk_begin(&walk, w->profile, top);
    code = copy_inlined(w, &walk, to, error);
    sample_walk_free(&walk);
    return code;
}

/* ---- searching ---- */

/* Flags that a copy of some functions gets from these. */
#define OWN_FLAGS (APF_SAMPLE_VTABLES | APF_SAMPLE_ATTRIBUTES | APF_SAMPLE_TIMES)

static int copy_texts(struct sample_whole *w, struct apf_str name, struct apf_sample *found,
                      struct apf_error *error)
{
    size_t at, n = w->n_texts;
    int code = APF_OK;
    SEARCH(at, 0, n, sort_compare_bytes(w->texts[at].p, w->texts[at].n, name.p, name.n) < 0);
    for (; code == APF_OK && at < n; at++) {
        struct apf_str text = {w->texts[at].p, w->texts[at].n};
        if (!text_equal(text, name))
            break;
        code = copy_function(w, w->profile->top.data[w->texts[at].index], found, error);
    }
    return code;
}

static int copy_hashes(struct sample_whole *w, uint64_t hash, struct apf_sample *found,
                       struct apf_error *error)
{
    size_t at, n = w->n_hashes;
    int code = APF_OK;
    SEARCH(at, 0, n, w->hashes[at].key < hash);
    for (; code == APF_OK && at < n && w->hashes[at].key == hash; at++)
        code = copy_function(w, w->profile->top.data[w->hashes[at].value], found, error);
    return code;
}

int sample_whole_find(struct sample_whole *w, struct apf_str name, struct apf_sample *found, bool *any,
                      struct apf_error *error)
{
    sample_reset(found);
    found->info = w->profile->info;
    found->info.flags &= ~OWN_FLAGS;
    found->stored = w->profile->stored;
    int code = copy_texts(w, name, found, error);
    if (code == APF_OK && w->n_hashes && !found->top.n)
        code = copy_hashes(w, md5_name_ref(name.p, name.n), found, error);
    if (code == APF_OK && w->n_hashes && !found->top.n)
        code = copy_hashes(w, sample_names_decimal(name), found, error);
    if (code == APF_OK)
        code = sample_seal(found, error);
    *any = code == APF_OK && found->top.n;
    return *any ? sample_complete(found, error) : code;
}
