/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Sorting what readers have appended, joining what is there repeatedly, and changing names. */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/sort.h"
#include "sample/model/sample_lists.h"

static void *scratch_for(struct sample_scratch *scratch, size_t bytes)
{
    scratch->bytes.n = 0;
    return VEC_RESERVE(&scratch->bytes, bytes + 1) ? scratch->bytes.data : NULL;
}

static bool line_before(const void *context, const void *a, const void *b)
{
    const struct sample_line *x = a, *y = b;
    (void)context;
    return x->at < y->at;
}

static bool target_before(const void *context, const void *a, const void *b)
{
    const struct sample_target *x = a, *y = b;
    (void)context;
    return x->at != y->at ? x->at < y->at : x->name < y->name;
}

/* Callees by place and name, in sums by checksum, too; 0: they are to be joined. */
static int compare_callees(const struct apf_sample *s, uint32_t i, uint32_t k)
{
    const struct sample_node *x = &s->nodes.data[i], *y = &s->nodes.data[k];
    if (x->at != y->at)
        return x->at < y->at ? -1 : 1;
    if (x->name != y->name)
        return x->name < y->name ? -1 : 1;
    if (s->is_sum && x->checksum != y->checksum)
        return x->checksum < y->checksum ? -1 : 1;
    return 0;
}

/* Those to be joined in the order in which they were appended. */
static bool callee_before(const void *context, const void *a, const void *b)
{
    const struct apf_sample *s = context;
    uint32_t i, k;
    memcpy(&i, a, sizeof i);
    memcpy(&k, b, sizeof k);
    int order = compare_callees(s, i, k);
    return order ? order < 0 : i < k;
}

static int seal_lines(struct apf_sample *s, struct sample_lines *list, struct sample_scratch *scratch,
                      struct apf_error *error)
{
    void *room = scratch_for(scratch, list->n * sizeof *list->data);
    if (!room)
        return error_memory(error);
    sort_merge(list->data, room, list->n, sizeof *list->data, line_before, NULL);
    uint32_t n = 0;
    for (uint32_t i = 1; i < list->n; i++)
        if (list->data[i].at == list->data[n].at)
            list->data[n].count = sample_sum(list->data[n].count, list->data[i].count, 1, &s->n_saturated);
        else
            list->data[++n] = list->data[i];
    list->n = list->n ? n + 1 : 0;
    return APF_OK;
}

static int seal_targets(struct apf_sample *s, struct sample_targets *list, struct sample_scratch *scratch,
                        struct apf_error *error)
{
    void *room = scratch_for(scratch, list->n * sizeof *list->data);
    if (!room)
        return error_memory(error);
    sort_merge(list->data, room, list->n, sizeof *list->data, target_before, NULL);
    uint32_t n = 0;
    for (uint32_t i = 1; i < list->n; i++)
        if (!target_before(NULL, &list->data[n], &list->data[i]))
            list->data[n].count = sample_sum(list->data[n].count, list->data[i].count, 1, &s->n_saturated);
        else
            list->data[++n] = list->data[i];
    list->n = list->n ? n + 1 : 0;
    return APF_OK;
}

/* ---- joining ---- */

static int join_targets(struct apf_sample *s, struct sample_targets *to, struct sample_targets *from,
                        struct apf_error *error)
{
    int code = SAMPLE_LIST_GROW(&s->blocks, to, (uint64_t)to->n + from->n, error);
    if (code == APF_OK && from->n)
        memcpy(to->data + to->n, from->data, from->n * sizeof *from->data);
    if (code == APF_OK)
        to->n += from->n;
    SAMPLE_LIST_RELEASE(&s->blocks, from);
    return code;
}

static int join_lines(struct apf_sample *s, struct sample_lines *to, struct sample_lines *from,
                      struct apf_error *error)
{
    int code = SAMPLE_LIST_GROW(&s->blocks, to, (uint64_t)to->n + from->n, error);
    if (code == APF_OK && from->n)
        memcpy(to->data + to->n, from->data, from->n * sizeof *from->data);
    if (code == APF_OK)
        to->n += from->n;
    SAMPLE_LIST_RELEASE(&s->blocks, from);
    return code;
}

static int join_callees(struct apf_sample *s, uint32_t to, uint32_t from, struct apf_error *error)
{
    struct sample_callees *a = &s->nodes.data[to].callees, *b = &s->nodes.data[from].callees;
    int code = SAMPLE_LIST_GROW(&s->blocks, a, (uint64_t)a->n + b->n, error);
    for (uint32_t i = 0; code == APF_OK && i < b->n; i++) {
        s->nodes.data[b->data[i]].caller = to;
        a->data[a->n++] = b->data[i];
    }
    SAMPLE_LIST_RELEASE(&s->blocks, b);
    return code;
}

static int join_extra(struct apf_sample *s, uint32_t to, uint32_t from, struct apf_error *error)
{
    struct sample_extra *b = s->nodes.data[from].extra;
    if (!b)
        return APF_OK;
    struct sample_extra *a = sample_node_extra(s, to);
    if (!a)
        return error_memory(error);
    sample_join_times(a, b->first_time);
    return join_targets(s, &a->vtables, &b->vtables, error);
}

int sample_join(struct apf_sample *s, uint32_t to, uint32_t from, struct apf_error *error)
{
    struct sample_node *a = &s->nodes.data[to], *b = &s->nodes.data[from];
    uint64_t unused = 0, n_saturated = s->n_saturated;
    a->total = sample_sum(a->total, b->total, 1, &s->n_saturated);
    a->head = sample_sum(a->head, b->head, 1, &s->n_saturated);
    a->checksum = b->checksum ? b->checksum : a->checksum;
    if (s->is_sum)
        a->attributes |= b->attributes;
    else if (b->attributes)
        a->attributes = b->attributes;
    a->votes = sample_sum(a->votes, b->votes, 1, &unused);
    a->input = a->input < b->input ? a->input : b->input;
    a->state |= SAMPLE_UNSORTED | SAMPLE_JOINED | (b->state & SAMPLE_SATURATED);
    a->state |= s->n_saturated != n_saturated ? SAMPLE_SATURATED : 0;
    b->state = SAMPLE_GONE | SAMPLE_PART;
    b->caller = to;
    int code = join_lines(s, &a->lines, &b->lines, error);
    if (code == APF_OK)
        code = join_targets(s, &a->targets, &b->targets, error);
    if (code == APF_OK)
        code = join_callees(s, to, from, error);
    return code == APF_OK ? join_extra(s, to, from, error) : code;
}

/* Sorts the callees of a node and joins equal ones, whose lists are sorted when their turn comes: they have larger
 * numbers. */
static int seal_callees(struct apf_sample *s, uint32_t node, struct sample_scratch *scratch,
                        struct apf_error *error)
{
    struct sample_callees *list = &s->nodes.data[node].callees;
    void *room = scratch_for(scratch, list->n * sizeof *list->data);
    if (!room)
        return error_memory(error);
    sort_merge(list->data, room, list->n, sizeof *list->data, callee_before, s);
    uint32_t n = 0;
    int code = APF_OK;
    for (uint32_t i = 1; code == APF_OK && i < list->n; i++) {
        if (compare_callees(s, list->data[n], list->data[i]) == 0)
            code = sample_join(s, list->data[n], list->data[i], error);
        else
            list->data[++n] = list->data[i];
    }
    list->n = list->n ? n + 1 : 0;
    return code;
}

int sample_seal_node(struct apf_sample *s, uint32_t node, struct sample_scratch *scratch,
                     struct apf_error *error)
{
    struct sample_node *f = &s->nodes.data[node];
    uint32_t n_lines = f->lines.n, n_targets = f->targets.n;
    uint64_t n_saturated = s->n_saturated;
    int code = APF_OK;
    if (f->state & SAMPLE_UNSORTED_LINES)
        code = seal_lines(s, &f->lines, scratch, error);
    if (code == APF_OK && f->state & SAMPLE_UNSORTED_TARGETS)
        code = seal_targets(s, &f->targets, scratch, error);
    if (code == APF_OK && f->state & SAMPLE_UNSORTED_VTABLES && f->extra)
        code = seal_targets(s, &f->extra->vtables, scratch, error);
    if (code == APF_OK && f->state & SAMPLE_UNSORTED_CALLEES)
        code = seal_callees(s, node, scratch, error);
    f->state &= (uint16_t)~SAMPLE_UNSORTED;
    f->state |= f->lines.n < n_lines ? SAMPLE_JOINED_LINES : 0;
    f->state |= f->targets.n < n_targets ? SAMPLE_JOINED_TARGETS : 0;
    f->state |= s->n_saturated != n_saturated ? SAMPLE_SATURATED : 0;
    return code;
}

int sample_seal_symbols(struct apf_sample *s, struct apf_error *error)
{
    size_t n = 0;
    bool sorted = true;
    for (size_t i = 1; i < s->symbols.n; i++)
        sorted &= sort_text_before(NULL, &s->symbols.data[i - 1], &s->symbols.data[i]);
    if (sorted)
        return APF_OK;
    if (!SORT_VEC(&s->symbols, sort_text_before, NULL))
        return error_memory(error);
    for (size_t i = 1; i < s->symbols.n; i++)
        if (!text_equal(s->symbols.data[n], s->symbols.data[i]))
            s->symbols.data[++n] = s->symbols.data[i];
    s->symbols.n = n + 1;
    return APF_OK;
}

int sample_seal(struct apf_sample *s, struct apf_error *error)
{
    struct sample_scratch scratch = {{NULL, 0, 0}};
    int code = sample_seal_symbols(s, error);
    for (size_t i = 0; code == APF_OK && i < s->nodes.n; i++)
        if (s->nodes.data[i].state & SAMPLE_UNSORTED && !(s->nodes.data[i].state & SAMPLE_GONE))
            code = sample_seal_node(s, (uint32_t)i, &scratch, error);
    VEC_FREE(&scratch.bytes);
    return code;
}

/* ---- other names ---- */

static void renumber_targets(struct sample_targets *list, const uint32_t *map, uint16_t *state,
                             uint16_t unsorted)
{
    for (uint32_t i = 0; i < list->n; i++) {
        list->data[i].name = map[list->data[i].name];
        if (i && list->data[i - 1].at == list->data[i].at && list->data[i - 1].name >= list->data[i].name)
            *state |= unsorted;
    }
}

/* Callees have larger numbers, so their names are still the old ones. */
static void renumber_node(struct apf_sample *s, struct sample_node *f, const uint32_t *map)
{
    const struct sample_callees *callees = &f->callees;
    f->name = map[f->name];
    renumber_targets(&f->targets, map, &f->state, SAMPLE_UNSORTED_TARGETS);
    if (f->extra)
        renumber_targets(&f->extra->vtables, map, &f->state, SAMPLE_UNSORTED_VTABLES);
    for (uint32_t i = 1; i < callees->n; i++) {
        const struct sample_node *a = &s->nodes.data[callees->data[i - 1]],
                                 *b = &s->nodes.data[callees->data[i]];
        if (a->at == b->at && map[a->name] >= map[b->name])
            f->state |= SAMPLE_UNSORTED_CALLEES;
    }
}

/* Whether some lists are unsorted now. */
static bool renumber_nodes(struct apf_sample *s, const uint32_t *map)
{
    uint16_t state = 0;
    for (size_t i = 0; i < s->nodes.n; i++) {
        struct sample_node *f = &s->nodes.data[i];
        if (f->state & SAMPLE_GONE)
            continue;
        renumber_node(s, f, map);
        state |= f->state;
    }
    return (state & SAMPLE_UNSORTED) != 0;
}

int sample_renumber(struct apf_sample *s, const uint32_t *map, struct apf_error *error)
{
    return renumber_nodes(s, map) ? sample_seal(s, error) : APF_OK;
}

/* Lists the functions at the top level again, and joins those that are equal. */
int sample_index_tops(struct apf_sample *s, struct apf_error *error)
{
    size_t n = 0;
    s->first_top.n = 0;
    hash_index_free(&s->top_index);
    int code = sample_tops_reserve(s, error);
    for (size_t i = 0; code == APF_OK && i < s->top.n; i++) {
        uint32_t node = s->top.data[i];
        const struct sample_node *f = &s->nodes.data[node];
        uint32_t same = sample_top_find(s, f->context, f->checksum);
        if (same != SAMPLE_NONE) {
            code = sample_join(s, same, node, error);
            continue;
        }
        code = sample_top_link(s, node, error);
        s->top.data[n++] = node;
    }
    s->top.n = n;
    return code;
}

/* Replaces the numbers of names, and the names themselves by those of `names`, unless it is NULL. */
static int change_names(struct apf_sample *s, struct sample_names *names, const uint32_t *map,
                        struct apf_error *error)
{
    static const struct sample_names no_names;
    struct sample_contexts contexts = {0};
    uint32_t *context_map = malloc((s->contexts.list.n + 1) * sizeof *context_map);
    int code = context_map ? sample_contexts_adopt(&contexts, &s->contexts, map, context_map, error)
                           : error_memory(error);
    if (code != APF_OK) {
        free(context_map);
        sample_contexts_free(&contexts);
        return code;
    }
    (void)renumber_nodes(s, map);
    for (size_t i = 0; i < s->top.n; i++) {
        struct sample_node *f = &s->nodes.data[s->top.data[i]];
        f->context = context_map[f->context];
    }
    free(context_map);
    if (names) {
        sample_names_free(&s->names);
        s->names = *names;
        *names = no_names;
    }
    sample_contexts_free(&s->contexts);
    s->contexts = contexts;
    code = sample_index_tops(s, error);
    return code == APF_OK ? sample_seal(s, error) : code;
}

int sample_rename(struct apf_sample *s, struct sample_names *names, const uint32_t *map,
                  struct apf_error *error)
{
    return change_names(s, names, map, error);
}

int sample_change_names(struct apf_sample *s, const uint32_t *map, struct apf_error *error)
{
    return change_names(s, NULL, map, error);
}

static bool all_decimal(const struct apf_sample *s)
{
    for (size_t i = 0; i < s->top.n; i++)
        if (!sample_names_decimal(sample_names_text(&s->names, s->nodes.data[s->top.data[i]].name)))
            return false;
    return s->top.n != 0;
}

int sample_adopt_decimals(struct apf_sample *s, struct apf_error *error)
{
    if (!all_decimal(s))
        return APF_OK;
    struct sample_names names = {0};
    uint32_t *map = malloc((s->names.list.n + 1) * sizeof *map);
    int code = map ? APF_OK : error_memory(error);
    for (size_t i = 0; code == APF_OK && i < s->names.list.n; i++) {
        const struct sample_name *name = &s->names.list.data[i];
        struct apf_str text = {name->p, name->n};
        uint64_t hash = name->p ? sample_names_decimal(text) : name->hash;
        code = hash ? sample_names_add_hash(&names, hash, &map[i], error)
                    : sample_names_add(&names, text, name->file, true, &map[i], error);
    }
    if (code == APF_OK)
        code = sample_rename(s, &names, map, error);
    if (code == APF_OK)
        s->info.flags |= APF_SAMPLE_MD5;
    sample_names_free(&names);
    free(map);
    return code;
}

int sample_keep_tops(struct apf_sample *s, const uint32_t *tops, size_t n, struct apf_error *error)
{
    uint8_t *kept = calloc(s->nodes.n + 1, 1);
    if (!kept)
        return error_memory(error);
    for (size_t i = 0; i < n; i++)
        kept[tops[i]] = 1;
    for (size_t i = 0; i < s->nodes.n; i++) {
        struct sample_node *f = &s->nodes.data[i];
        if (f->caller != SAMPLE_NONE && !(f->state & SAMPLE_GONE))
            kept[i] = kept[f->caller];
        if (!kept[i])
            f->state |= SAMPLE_GONE;
    }
    size_t left = 0;
    for (size_t i = 0; i < s->top.n; i++)
        if (kept[s->top.data[i]])
            s->top.data[left++] = s->top.data[i];
    s->top.n = left;
    free(kept);
    return sample_index_tops(s, error);
}
