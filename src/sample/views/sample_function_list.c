/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The functions of a profile as a list, for users of the library. */
#include <anyprof/sample_functions.h>

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/md5.h"
#include "base/options.h"
#include "base/search.h"
#include "base/sort.h"
#include "sample/model/sample_order.h"
#include "sample/model/sample_tree.h"

/* A function of the list. */
struct entry {
    uint32_t node;
    uint32_t depth;
    uint32_t n_inlined;        /* at any depth */
    bool counted_elsewhere;    /* see struct apf_sample_function */
    uint64_t targets, vtables; /* where its targets and vtables begin in the array of all */
};

struct apf_sample_functions {
    const struct apf_sample *sample;
    VEC(struct entry) list;
    struct sample_target *targets; /* of all functions, and their vtables, in the order of output */
    VEC(struct sort_key) by_name;  /* functions at the top level: rank of the name, place in the list */
    struct sort_key *by_hash; /* those of them whose names are known: hash of the name, place in the list */
    size_t n_by_hash;
    uint32_t *by_rank; /* names in LLVM's order: those that are only hashes come first */
    uint64_t *hashes;  /* of all names, by number: each is hashed once */
    size_t n_hashes, n_names;
};

/* ---- making the list ---- */

static bool push_entry(struct apf_sample_functions *f, const uint8_t *duplicates, uint32_t node,
                       uint32_t depth)
{
    const struct entry new = {.node = node, .depth = depth, .counted_elsewhere = duplicates[node]};
    return VEC_PUSH(&f->list, new);
}

/* Lists a function and all that is inlined in it, and counts these. */
static int list_function(struct apf_sample_functions *f, struct sample_tree_walk *walk,
                         const uint8_t *duplicates, uint32_t node, struct apf_error *error)
{
    bool more = true;
    int code = APF_OK;
    size_t first = f->list.n;
    sample_tree_begin(walk, walk->tree, node);
    while (code == APF_OK && more)
        code = push_entry(f, duplicates, walk->node, walk->depth) ? sample_tree_next(walk, &more, error)
                                                                  : error_memory(error);
    /* What is inlined in the last functions of this depth or less is known when they are visited from the end. */
    for (size_t i = f->list.n; code == APF_OK && i-- > first;) {
        struct entry *e = &f->list.data[i];
        size_t next = i + 1;
        while (next < f->list.n && f->list.data[next].depth > e->depth)
            next += 1 + (size_t)f->list.data[next].n_inlined;
        e->n_inlined = (uint32_t)(next - i - 1);
    }
    return code;
}

static int list_functions(struct apf_sample_functions *f, const struct sample_order *order,
                          struct apf_error *error)
{
    struct sample_tree tree = {NULL, NULL};
    struct sample_tree_walk walk = {.tree = &tree};
    uint8_t *duplicates = sample_find_duplicates(f->sample);
    int code = duplicates ? sample_tree_make(&tree, f->sample, order->names, error) : error_memory(error);
    for (size_t i = 0; code == APF_OK && i < order->n_tops; i++) {
        struct sort_key key = {order->names[f->sample->nodes.data[order->tops[i]].name], f->list.n};
        code = VEC_PUSH(&f->by_name, key) ? list_function(f, &walk, duplicates, order->tops[i], error)
                                          : error_memory(error);
    }
    if (code == APF_OK && !VEC_RESERVE(&f->by_name, f->by_name.n))
        code = error_memory(error);
    if (code == APF_OK && f->by_name.n)
        sort_keys(f->by_name.data, f->by_name.data + f->by_name.n, f->by_name.n);
    free(duplicates);
    sample_tree_free(&tree);
    sample_tree_walk_free(&walk);
    return code;
}

/* sample_order_targets or sample_order_vtables. */
typedef const struct sample_target *order_fn(struct sample_order *o, const struct sample_targets *list,
                                             uint64_t at, uint32_t *next, uint32_t *n);

/* Copies a list of targets in the order of output. False: an allocation failed. */
static bool copy_targets(struct sample_order *order, order_fn *next_place, const struct sample_targets *list,
                         struct sample_target *to)
{
    for (uint32_t next = 0; next < list->n;) {
        uint32_t n, from = next;
        const struct sample_target *part = next_place(order, list, list->data[next].at, &next, &n);
        if (!part)
            return false;
        memcpy(to + from, part, n * sizeof *part);
    }
    return true;
}

static bool list_targets(struct apf_sample_functions *f, struct sample_order *order)
{
    uint64_t n = 0;
    for (size_t i = 0; i < f->list.n; i++) {
        struct entry *e = &f->list.data[i];
        e->targets = n;
        e->vtables = n + f->sample->nodes.data[e->node].targets.n;
        n = e->vtables + sample_vtables(&f->sample->nodes.data[e->node])->n;
    }
    f->targets = malloc((n + 1) * sizeof *f->targets);
    bool ok = f->targets != NULL;
    for (size_t i = 0; ok && i < f->list.n; i++) {
        const struct entry *e = &f->list.data[i];
        const struct sample_node *node = &f->sample->nodes.data[e->node];
        ok = copy_targets(order, sample_order_targets, &node->targets, f->targets + e->targets) &&
             copy_targets(order, sample_order_vtables, sample_vtables(node), f->targets + e->vtables);
    }
    return ok;
}

static bool list_names(struct apf_sample_functions *f, const uint32_t *ranks)
{
    f->n_names = f->sample->names.list.n;
    f->by_rank = malloc((f->n_names + 1) * sizeof *f->by_rank);
    f->hashes = malloc((f->n_names + 1) * sizeof *f->hashes);
    if (!f->by_rank || !f->hashes)
        return false;
    for (size_t i = 0; i < f->n_names; i++) {
        f->by_rank[ranks[i]] = (uint32_t)i;
        f->hashes[i] = sample_names_hash(&f->sample->names, (uint32_t)i);
        f->n_hashes += !f->sample->names.list.data[i].p;
    }
    return true;
}

/* Lists the functions with known names by the hashes of these, functions of one hash in the order of by_name. */
static bool list_hashes(struct apf_sample_functions *f)
{
    size_t first, n = f->by_name.n;
    SEARCH(first, (size_t)0, n, f->by_name.data[first].key < f->n_hashes);
    f->n_by_hash = n - first;
    f->by_hash = malloc((2 * f->n_by_hash + 1) * sizeof *f->by_hash);
    if (!f->by_hash)
        return false;
    for (size_t i = first; i < n; i++) {
        const struct sort_key *named = &f->by_name.data[i];
        struct sort_key key = {f->hashes[f->by_rank[named->key]], named->value};
        f->by_hash[i - first] = key;
    }
    sort_keys(f->by_hash, f->by_hash + f->n_by_hash, f->n_by_hash);
    return true;
}

int apf_sample_functions_new(struct apf_sample_functions **functions, const struct apf_sample *sample,
                             struct apf_error *error)
{
    struct sample_order order;
    *functions = NULL;
    struct apf_sample_functions *made = calloc(1, sizeof *made);
    if (!made)
        return error_memory(error);
    made->sample = sample;
    int code = sample_order_make(&order, sample, error);
    if (code == APF_OK)
        code = list_functions(made, &order, error);
    if (code == APF_OK && !(list_targets(made, &order) && list_names(made, order.names) && list_hashes(made)))
        code = error_memory(error);
    sample_order_free(&order);
    if (code == APF_OK)
        *functions = made;
    else
        apf_sample_functions_free(made);
    return code;
}

void apf_sample_functions_free(struct apf_sample_functions *functions)
{
    if (!functions)
        return;
    VEC_FREE(&functions->list);
    VEC_FREE(&functions->by_name);
    free(functions->targets);
    free(functions->by_rank);
    free(functions->by_hash);
    free(functions->hashes);
    free(functions);
}

/* ---- reading it ---- */

static struct apf_sample_name name_of(const struct apf_sample_functions *f, uint32_t number)
{
    struct apf_sample_name name = {sample_names_text(&f->sample->names, number), f->hashes[number]};
    return name;
}

static struct apf_sample_place place_of(uint64_t at)
{
    struct apf_sample_place place = {sample_place_line(at), sample_place_discriminator(at)};
    return place;
}

int apf_sample_function(const struct apf_sample_functions *functions, uint64_t i,
                        struct apf_sample_function *function, struct apf_error *error)
{
    int code = RESULT_CHECK(apf_sample_function, function, error);
    if (code != APF_OK || i >= functions->list.n)
        return code == APF_OK ? APF_END : code;
    const struct apf_sample *s = functions->sample;
    const struct entry *e = &functions->list.data[i];
    const struct sample_node *n = &s->nodes.data[e->node];
    const struct sample_name *name = &s->names.list.data[n->name];
    bool top = n->context != SAMPLE_NONE;
    struct apf_sample_function out = {
        .name = name_of(functions, n->name),
        .depth = e->depth,
        .attributes = n->attributes,
        .call = place_of(n->at),
        .total = n->total,
        .head = n->head,
        .checksum = n->checksum,
        .first_time = sample_first_time(n),
        .n_frames = top ? (uint64_t)s->contexts.list.data[n->context].depth + 1 : 0,
        .n_lines = n->lines.n,
        .n_targets = n->targets.n,
        .n_vtables = sample_vtables(n)->n,
        .n_inlined = e->n_inlined,
        .counted_elsewhere = e->counted_elsewhere,
    };
    if (name->file != SAMPLE_NONE)
        out.file = s->names.files.list.data[name->file];
    result_fill(function, sizeof out, &out);
    return APF_OK;
}

int apf_sample_line(const struct apf_sample_functions *functions, uint64_t function, uint64_t i,
                    struct apf_sample_count *count)
{
    if (function >= functions->list.n)
        return APF_END;
    const struct sample_lines *lines =
        &functions->sample->nodes.data[functions->list.data[function].node].lines;
    if (i >= lines->n)
        return APF_END;
    struct apf_sample_count out = {place_of(lines->data[i].at), lines->data[i].count, {{NULL, 0}, 0}};
    *count = out;
    return APF_OK;
}

static int fill_target(const struct apf_sample_functions *functions, uint64_t i,
                       struct apf_sample_count *count)
{
    const struct sample_target *t = &functions->targets[i];
    struct apf_sample_count out = {place_of(t->at), t->count, name_of(functions, t->name)};
    *count = out;
    return APF_OK;
}

int apf_sample_target(const struct apf_sample_functions *functions, uint64_t function, uint64_t i,
                      struct apf_sample_count *count)
{
    if (function >= functions->list.n)
        return APF_END;
    const struct entry *e = &functions->list.data[function];
    return i < functions->sample->nodes.data[e->node].targets.n
               ? fill_target(functions, e->targets + i, count)
               : APF_END;
}

int apf_sample_vtable(const struct apf_sample_functions *functions, uint64_t function, uint64_t i,
                      struct apf_sample_count *count)
{
    if (function >= functions->list.n)
        return APF_END;
    const struct entry *e = &functions->list.data[function];
    return i < sample_vtables(&functions->sample->nodes.data[e->node])->n
               ? fill_target(functions, e->vtables + i, count)
               : APF_END;
}

int apf_sample_frame(const struct apf_sample_functions *functions, uint64_t function, uint64_t i,
                     struct apf_sample_frame *frame)
{
    if (function >= functions->list.n)
        return APF_END;
    const struct apf_sample *s = functions->sample;
    const struct sample_context *contexts = s->contexts.list.data;
    uint32_t at = s->nodes.data[functions->list.data[function].node].context;
    uint64_t call = 0;
    if (at == SAMPLE_NONE || i > contexts[at].depth)
        return APF_END;
    for (; contexts[at].depth > i; at = contexts[at].caller)
        call = contexts[at].at;
    struct apf_sample_frame out = {name_of(functions, contexts[at].name), place_of(call)};
    *frame = out;
    return APF_OK;
}

/* ---- finding ---- */

uint64_t apf_sample_name_hash(struct apf_str text)
{
    return md5_name_ref(text.p, text.n);
}

/* The value of the i-th of the keys from `first` to `last`; UINT64_MAX: there are less. */
static uint64_t find_value(const struct sort_key *keys, size_t n, uint64_t first, uint64_t last, uint64_t i)
{
    size_t at;
    SEARCH(at, (size_t)0, n, keys[at].key < first);
    return i < n - at && keys[at + i].key <= last ? keys[at + i].value : UINT64_MAX;
}

/* The i-th function at the top level whose name has a rank from `first` to `last`. */
static uint64_t find_ranks(const struct apf_sample_functions *f, size_t first, size_t last, uint64_t i)
{
    return find_value(f->by_name.data, f->by_name.n, first, last, i);
}

uint64_t apf_sample_function_find(const struct apf_sample_functions *functions, struct apf_sample_name name,
                                  uint64_t i)
{
    const struct sample_name *names = functions->sample->names.list.data;
    const uint32_t *by_rank = functions->by_rank;
    const struct apf_str text = name.text;
    size_t at, end;
    if (text.p) {
        SEARCH(at, functions->n_hashes, functions->n_names,
               sort_compare_bytes(names[by_rank[at]].p, names[by_rank[at]].n, text.p, text.n) < 0);
        SEARCH(end, at, functions->n_names,
               sort_compare_bytes(names[by_rank[end]].p, names[by_rank[end]].n, text.p, text.n) <= 0);
        if (at < end)
            return find_ranks(functions, at, end - 1, i);
    }
    uint64_t hash = text.p ? apf_sample_name_hash(text) : name.hash;
    SEARCH(at, (size_t)0, functions->n_hashes, names[by_rank[at]].hash < hash);
    if (at < functions->n_hashes && names[by_rank[at]].hash == hash)
        return find_ranks(functions, at, at, i);
    return text.p ? UINT64_MAX : find_value(functions->by_hash, functions->n_by_hash, hash, hash, i);
}
