/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "sample/model/sample_profile.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/search.h"
#include "sample/model/sample_lists.h"

struct apf_sample *sample_new(void)
{
    return calloc(1, sizeof(struct apf_sample));
}

void sample_free(struct apf_sample *s)
{
    if (!s)
        return;
    sample_names_free(&s->names);
    sample_contexts_free(&s->contexts);
    VEC_FREE(&s->nodes);
    VEC_FREE(&s->top);
    VEC_FREE(&s->first_top);
    hash_index_free(&s->top_index);
    VEC_FREE(&s->symbols);
    arena_free(&s->symbol_text);
    arena_free(&s->blocks.arena);
    arena_free(&s->arena);
    free(s);
}

void sample_reset(struct apf_sample *s)
{
    static const struct arena_mark empty;
    static const struct apf_sample_info nothing;
    sample_names_reset(&s->names);
    sample_contexts_reset(&s->contexts);
    s->nodes.n = s->top.n = s->first_top.n = s->symbols.n = 0;
    hash_index_free(&s->top_index);
    memset(s->blocks.free, 0, sizeof s->blocks.free);
    arena_rewind(&s->blocks.arena, empty);
    arena_rewind(&s->symbol_text, empty);
    arena_rewind(&s->arena, empty);
    s->info = nothing;
    s->stored = NULL;
    s->has_symbols = s->is_sum = false;
    s->input = 0;
    s->n_saturated = 0;
    s->salvage = NULL;
    memset(s->findings, 0, sizeof s->findings);
    if (s->origins)
        s->origins->offsets.n = s->origins->again.n = 0;
}

void sample_origins_free(struct sample_origins *origins)
{
    VEC_FREE(&origins->offsets);
    VEC_FREE(&origins->again);
}

/* ---- appending ---- */

int sample_push_node(struct apf_sample *s, const struct sample_node *new, uint32_t *node,
                     struct apf_error *error)
{
    if (s->nodes.n >= SAMPLE_NONE)
        return error_plain(error, APF_LIMIT, "functions", "more than 2^32 functions");
    if (!VEC_PUSH(&s->nodes, *new))
        return error_memory(error);
    *node = (uint32_t)(s->nodes.n - 1);
    return APF_OK;
}

int sample_tops_reserve(struct apf_sample *s, struct apf_error *error)
{
    size_t n = s->contexts.list.n, old = s->first_top.n;
    if (n <= old)
        return APF_OK;
    if (!VEC_RESERVE(&s->first_top, n - old))
        return error_memory(error);
    memset(s->first_top.data + old, 0xff, (n - old) * sizeof *s->first_top.data);
    s->first_top.n = n;
    return APF_OK;
}

int sample_top_link(struct apf_sample *s, uint32_t node, struct apf_error *error)
{
    const struct sample_node *f = &s->nodes.data[node];
    if (s->first_top.data[f->context] == SAMPLE_NONE) {
        s->first_top.data[f->context] = node;
        return APF_OK;
    }
    if (!hash_index_reserve(&s->top_index, 1))
        return hash_index_error(&s->top_index, error);
    hash_index_add(&s->top_index, hash_index_mix(&s->top_index, f->context, f->checksum), node);
    return APF_OK;
}

int sample_push_top(struct apf_sample *s, const struct sample_node *new, uint32_t *node,
                    struct apf_error *error)
{
    if (!VEC_RESERVE(&s->top, 1))
        return error_memory(error);
    int code = sample_tops_reserve(s, error);
    if (code == APF_OK)
        code = sample_push_node(s, new, node, error);
    if (code == APF_OK)
        code = sample_top_link(s, *node, error);
    if (code == APF_OK)
        s->top.data[s->top.n++] = *node;
    return code;
}

uint32_t sample_top_find(const struct apf_sample *s, uint32_t context, uint64_t checksum)
{
    const struct sample_node *nodes = s->nodes.data;
    uint32_t e = context < s->first_top.n ? s->first_top.data[context] : SAMPLE_NONE;
    if (e == SAMPLE_NONE || !s->is_sum || nodes[e].checksum == checksum)
        return e;
    HASH_INDEX_FIND(e, &s->top_index, hash_index_mix(&s->top_index, context, checksum),
                    nodes[e].context == context && nodes[e].checksum == checksum);
    return e;
}

uint32_t sample_find_top(const struct apf_sample *s, uint32_t context)
{
    return context < s->first_top.n ? s->first_top.data[context] : SAMPLE_NONE;
}

uint32_t sample_find_inlined(const struct apf_sample *s, uint32_t caller, uint64_t at, uint32_t name)
{
    const struct sample_node *nodes = s->nodes.data;
    const struct sample_callees *list = &nodes[caller].callees;
    uint32_t i;
    SEARCH(i, 0, list->n,
           nodes[list->data[i]].at != at ? nodes[list->data[i]].at < at : nodes[list->data[i]].name < name);
    bool found = i < list->n && nodes[list->data[i]].at == at && nodes[list->data[i]].name == name;
    return found ? list->data[i] : SAMPLE_NONE;
}

int sample_top(struct apf_sample *s, uint32_t context, uint32_t *node, struct apf_error *error)
{
    *node = sample_find_top(s, context);
    if (*node != SAMPLE_NONE)
        return APF_OK;
    struct sample_node new = {
        .name = s->contexts.list.data[context].name, .context = context, .caller = SAMPLE_NONE};
    return sample_push_top(s, &new, node, error);
}

int sample_inlined(struct apf_sample *s, uint32_t caller, uint64_t at, uint32_t name, uint32_t *node,
                   struct apf_error *error)
{
    struct sample_node new = {.at = at, .name = name, .context = SAMPLE_NONE, .caller = caller};
    int code = sample_push_node(s, &new, node, error);
    if (code != APF_OK)
        return code;
    struct sample_node *nodes = s->nodes.data;
    struct sample_callees *list = &nodes[caller].callees;
    if (list->n == list->room)
        code = SAMPLE_LIST_GROW(&s->blocks, list, (uint64_t)list->n + list->n / 2 + 1, error);
    if (code != APF_OK)
        return code;
    if (list->n) {
        const struct sample_node *last = &nodes[list->data[list->n - 1]];
        if (last->at > at || (last->at == at && last->name >= name))
            nodes[caller].state |= SAMPLE_UNSORTED_CALLEES;
    }
    list->data[list->n++] = *node;
    return APF_OK;
}

int sample_reserve_lines(struct apf_sample *s, uint32_t node, uint64_t n, struct apf_error *error)
{
    struct sample_lines *list = &s->nodes.data[node].lines;
    return SAMPLE_LIST_GROW(&s->blocks, list, list->n + n, error);
}

int sample_reserve_targets(struct apf_sample *s, uint32_t node, uint64_t n, struct apf_error *error)
{
    struct sample_targets *list = &s->nodes.data[node].targets;
    return SAMPLE_LIST_GROW(&s->blocks, list, list->n + n, error);
}

int sample_line_slow(struct apf_sample *s, uint32_t node, uint64_t at, uint64_t count,
                     struct apf_error *error)
{
    int code = sample_reserve_lines(s, node, s->nodes.data[node].lines.n / 2 + 1, error);
    return code == APF_OK ? sample_append_line(s, node, at, count, error) : code;
}

int sample_target_slow(struct apf_sample *s, uint32_t node, uint64_t at, uint32_t name, uint64_t count,
                       struct apf_error *error)
{
    int code = sample_reserve_targets(s, node, s->nodes.data[node].targets.n / 2 + 1, error);
    return code == APF_OK ? sample_append_target(s, node, at, name, count, error) : code;
}

int sample_record_origin(struct apf_sample *s, uint32_t node, uint64_t offset, struct apf_error *error)
{
    struct sample_origins *origins = s->origins;
    struct sample_repeat repeat = {offset, node};
    if (node < origins->offsets.n)
        return VEC_PUSH(&origins->again, repeat) ? APF_OK : error_memory(error);
    while (origins->offsets.n < node)
        if (!VEC_PUSH(&origins->offsets, NO_OFFSET))
            return error_memory(error);
    return VEC_PUSH(&origins->offsets, offset) ? APF_OK : error_memory(error);
}

struct sample_extra *sample_node_extra(struct apf_sample *s, uint32_t node)
{
    struct sample_node *f = &s->nodes.data[node];
    if (!f->extra)
        f->extra = arena_zeros(&s->arena, 1, sizeof *f->extra);
    return f->extra;
}

int sample_add_time(struct apf_sample *s, uint32_t node, uint64_t time, struct apf_error *error)
{
    if (!time)
        return APF_OK;
    struct sample_extra *extra = sample_node_extra(s, node);
    if (!extra)
        return error_memory(error);
    sample_join_times(extra, time);
    return APF_OK;
}

int sample_append_vtable(struct apf_sample *s, uint32_t node, uint64_t at, uint32_t name, uint64_t count,
                         struct apf_error *error)
{
    struct sample_extra *extra = sample_node_extra(s, node);
    if (!extra)
        return error_memory(error);
    struct sample_targets *list = &extra->vtables;
    int code = SAMPLE_LIST_GROW(&s->blocks, list,
                                (uint64_t)list->n + (list->n == list->room ? list->n / 2 + 1 : 1), error);
    if (code != APF_OK || !list->data)
        return code;
    const struct sample_target *last = list->n ? &list->data[list->n - 1] : NULL;
    if (last && (last->at > at || (last->at == at && last->name >= name)))
        s->nodes.data[node].state |= SAMPLE_UNSORTED_VTABLES;
    struct sample_target new = {at, count, name};
    list->data[list->n++] = new;
    return APF_OK;
}

int sample_copy_lines(struct apf_sample *s, uint32_t node, const struct sample_lines *lines,
                      struct apf_error *error)
{
    int code = sample_reserve_lines(s, node, lines->n, error);
    for (uint32_t i = 0; code == APF_OK && i < lines->n; i++)
        sample_store_line(&s->nodes.data[node], lines->data[i].at, lines->data[i].count);
    return code;
}

int sample_copy_targets(struct apf_sample *s, uint32_t node, const struct sample_targets *targets,
                        const uint32_t *names, struct apf_error *error)
{
    int code = targets->n ? sample_reserve_targets(s, node, targets->n, error) : APF_OK;
    for (uint32_t i = 0; code == APF_OK && i < targets->n; i++) {
        const struct sample_target *t = &targets->data[i];
        sample_store_target(&s->nodes.data[node], t->at, names ? names[t->name] : t->name, t->count);
    }
    return code;
}

int sample_copy_vtables(struct apf_sample *s, uint32_t node, const struct sample_targets *vtables,
                        const uint32_t *names, struct apf_error *error)
{
    int code = APF_OK;
    for (uint32_t i = 0; code == APF_OK && i < vtables->n; i++) {
        const struct sample_target *v = &vtables->data[i];
        code = sample_append_vtable(s, node, v->at, names ? names[v->name] : v->name, v->count, error);
    }
    return code;
}

int sample_copy_lists(struct apf_sample *s, uint32_t node, const struct sample_node *from,
                      const uint32_t *names, bool vtables, struct apf_error *error)
{
    int code = sample_copy_lines(s, node, &from->lines, error);
    if (code == APF_OK)
        code = sample_copy_targets(s, node, &from->targets, names, error);
    if (code == APF_OK && vtables)
        code = sample_copy_vtables(s, node, sample_vtables(from), names, error);
    return code == APF_OK ? sample_add_time(s, node, sample_first_time(from), error) : code;
}

int sample_append_symbol(struct apf_sample *s, struct apf_str name, struct apf_error *error)
{
    struct apf_str copy = {arena_text(&s->symbol_text, name.p, name.n), name.n};
    s->has_symbols = true;
    return copy.p && VEC_PUSH(&s->symbols, copy) ? APF_OK : error_memory(error);
}

/* ---- walking ---- */

void sample_walk_begin(struct sample_walk *w, const struct apf_sample *s, uint32_t node)
{
    w->s = s;
    w->node = node;
    w->depth = 0;
    w->stack.n = 0;
}

int sample_walk_next(struct sample_walk *w, bool *more, struct apf_error *error)
{
    struct sample_walk_frame down = {w->node, 0};
    if (w->s->nodes.data[w->node].callees.n && !VEC_PUSH(&w->stack, down))
        return error_memory(error);
    while (w->stack.n) {
        struct sample_walk_frame *top = &w->stack.data[w->stack.n - 1];
        const struct sample_callees *callees = &w->s->nodes.data[top->node].callees;
        if (top->next < callees->n) {
            w->node = callees->data[top->next++];
            w->depth = (uint32_t)w->stack.n;
            *more = true;
            return APF_OK;
        }
        w->stack.n--;
    }
    *more = false;
    return APF_OK;
}

void sample_walk_free(struct sample_walk *w)
{
    VEC_FREE(&w->stack);
}

static void mark_targets(const struct sample_targets *list, uint8_t *used)
{
    const struct sample_target *t = list->data;
    for (uint32_t n = list->n; n > 0; n--, t++)
        used[t->name] = 1;
}

void sample_mark_names(const struct apf_sample *s, bool vtables, uint8_t *used)
{
    const struct sample_node *f = s->nodes.data;
    for (size_t n = s->nodes.n; n > 0; n--, f++) {
        if (f->state & SAMPLE_GONE)
            continue;
        used[f->name] = 1;
        mark_targets(&f->targets, used);
        if (vtables && f->extra)
            mark_targets(&f->extra->vtables, used);
    }
}

void sample_mark_contexts(const struct apf_sample *s, uint8_t *used)
{
    const struct sample_context *contexts = s->contexts.list.data;
    for (size_t i = 0; i < s->top.n; i++)
        for (uint32_t c = s->nodes.data[s->top.data[i]].context; c != SAMPLE_NONE && !used[c];
             c = contexts[c].caller)
            used[c] = 1;
}

int sample_mark_all_names(const struct apf_sample *s, uint8_t *used, struct apf_error *error)
{
    uint8_t *contexts = calloc(s->contexts.list.n + 1, 1);
    if (!contexts)
        return error_memory(error);
    sample_mark_names(s, true, used);
    sample_mark_contexts(s, contexts);
    for (size_t i = 0; i < s->contexts.list.n; i++)
        if (contexts[i])
            used[s->contexts.list.data[i].name] = 1;
    free(contexts);
    return APF_OK;
}

uint8_t *sample_find_duplicates(const struct apf_sample *s)
{
    uint8_t *out = calloc(s->nodes.n + 1, 1);
    for (size_t i = 0; out && i < s->nodes.n; i++) { /* a caller has a smaller number */
        const struct sample_node *f = &s->nodes.data[i];
        out[i] = f->state & SAMPLE_GONE ||
                 (f->caller != SAMPLE_NONE && (out[f->caller] || f->attributes & APF_SAMPLE_DUPLICATED));
    }
    return out;
}

/* The estimate of a function whose callees have one: a node has a larger number than its caller. */
static uint64_t estimate_entries(const struct sample_node *nodes, const struct sample_node *f,
                                 const uint64_t *estimates)
{
    uint64_t count = 0, cut = 0;
    uint32_t first = f->callees.n ? f->callees.data[0] : SAMPLE_NONE;
    if (first != SAMPLE_NONE && (f->lines.n == 0 || nodes[first].at <= f->lines.data[0].at)) {
        for (uint32_t i = 0; i < f->callees.n && nodes[f->callees.data[i]].at == nodes[first].at; i++)
            count = sample_sum(count, estimates[f->callees.data[i]], 1, &cut);
    } else if (f->lines.n) {
        count = f->lines.data[0].count;
    }
    return count ? count : f->total > 0;
}

int sample_entry_estimates(const struct apf_sample *s, uint64_t **estimates, struct apf_error *error)
{
    size_t n = s->nodes.n;
    *estimates = calloc(n + 1, sizeof **estimates);
    if (!*estimates)
        return error_memory(error);
    for (size_t i = n; i-- > 0;)
        if (!(s->nodes.data[i].state & SAMPLE_GONE))
            (*estimates)[i] = estimate_entries(s->nodes.data, &s->nodes.data[i], *estimates);
    return APF_OK;
}

/* ---- the last step of reading ---- */

static void count_node(struct apf_sample *s, const struct sample_node *f, uint32_t *depths, size_t i)
{
    struct apf_sample_info *info = &s->info;
    uint64_t cut = 0;
    for (uint32_t k = 0; k < f->lines.n; k++)
        s->sum_of_counts = sample_sum(s->sum_of_counts, f->lines.data[k].count, 1, &cut);
    depths[i] = f->caller == SAMPLE_NONE ? 0 : depths[f->caller] + 1;
    info->n_inlined += depths[i] != 0;
    info->n_lines += f->lines.n;
    info->n_targets += f->targets.n;
    info->n_vtables += sample_vtables(f)->n;
    info->max_depth = info->max_depth < depths[i] ? depths[i] : info->max_depth;
    info->flags |= sample_vtables(f)->n ? APF_SAMPLE_VTABLES : 0;
    info->flags |= f->attributes ? APF_SAMPLE_ATTRIBUTES : 0;
    info->flags |= f->attributes & APF_SAMPLE_SHOULD_BE_INLINED ? APF_SAMPLE_PREINLINED : 0;
    info->flags |= sample_first_time(f) ? APF_SAMPLE_TIMES : 0;
}

static void count_names(struct apf_sample *s)
{
    uint64_t n_hashes = 0;
    bool is_unique = false;
    for (size_t i = 0; i < s->names.list.n; i++) {
        const struct sample_name *name = &s->names.list.data[i];
        struct apf_str text = {name->p, name->n};
        n_hashes += name->p == NULL;
        is_unique = is_unique || sample_name_is_unique(text);
    }
    s->info.n_hashes = n_hashes;
    s->info.n_names = s->names.list.n - n_hashes;
    s->info.flags |= is_unique ? APF_SAMPLE_UNIQUE : 0;
}

int sample_identify(struct apf_sample *s, struct apf_error *error)
{
    if (!s->info.n_hashes)
        return APF_OK;
    int code = sample_names_identify(&s->names, s->symbols.data, s->symbols.n, error);
    count_names(s);
    return code;
}

int sample_complete(struct apf_sample *s, struct apf_error *error)
{
    struct apf_sample_info *info = &s->info;
    uint32_t *depths = malloc((s->nodes.n + 1) * sizeof *depths);
    if (!depths)
        return error_memory(error);
    info->layout = info->layout ? info->layout : "";
    info->origin = info->origin ? info->origin : info->format;
    info->n_functions = s->top.n;
    info->n_inlined = info->n_lines = info->n_targets = info->n_vtables = 0;
    info->max_depth = info->max_context = 0;
    info->n_symbols = s->symbols.n;
    s->sum_of_counts = 0;
    for (size_t i = 0; i < s->nodes.n; i++)
        if (!(s->nodes.data[i].state & SAMPLE_GONE))
            count_node(s, &s->nodes.data[i], depths, i);
    free(depths);
    count_names(s);
    for (size_t i = 0; i < s->top.n; i++) {
        uint64_t frames = (uint64_t)s->contexts.list.data[s->nodes.data[s->top.data[i]].context].depth + 1;
        info->max_context = info->max_context < frames ? frames : info->max_context;
    }
    return APF_OK;
}
