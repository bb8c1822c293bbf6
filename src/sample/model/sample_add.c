/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Adding a profile to a sum. Both are sorted, so that lists are joined in one pass; most often the sum has every entry
 * already, and only counts change. */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/sort.h"
#include "sample/model/sample_lists.h"

/* Nodes whose contents are still to be added. */
struct pair {
    uint32_t to, from;
};

struct addition {
    struct apf_sample *sum;
    const struct apf_sample *in;
    uint64_t weight, votes;
    VEC(struct pair) pairs;
};

/* ---- lists ---- */

/* The number of entries of `b` that `a` lacks. */
static uint32_t count_new_lines(const struct sample_lines *a, const struct sample_lines *b)
{
    uint32_t i = 0, new = 0;
    for (uint32_t k = 0; k < b->n; k++) {
        while (i < a->n && a->data[i].at < b->data[k].at)
            i++;
        new += i == a->n || a->data[i].at != b->data[k].at;
    }
    return new;
}

static int add_lines(struct addition *w, struct sample_lines *a, const struct sample_lines *b,
                     struct apf_error *error)
{
    uint64_t *cut = &w->sum->n_saturated;
    uint32_t i = 0;
    /* The usual case, and the common beginning of all others. */
    while (i < a->n && i < b->n && a->data[i].at == b->data[i].at) {
        a->data[i].count = sample_sum(a->data[i].count, b->data[i].count, w->weight, cut);
        i++;
    }
    if (i == b->n)
        return APF_OK;
    const struct sample_lines rest_b = {b->data + i, b->n - i, 0};
    const struct sample_lines rest_a = {a->data ? a->data + i : NULL, a->n - i, 0};
    uint32_t new = count_new_lines(&rest_a, &rest_b);
    int code = SAMPLE_LIST_GROW(&w->sum->blocks, a, (uint64_t)a->n + new, error);
    if (code != APF_OK || !a->data)
        return code;
    /* From the end, so that no entry is overwritten before it has moved. */
    uint32_t from_a = a->n, from_b = b->n, to = a->n + new;
    a->n = to;
    while (from_b > i) {
        const struct sample_line *y = &b->data[from_b - 1];
        if (from_a > i && a->data[from_a - 1].at > y->at) {
            a->data[--to] = a->data[--from_a];
            continue;
        }
        struct sample_line sum = {y->at, 0};
        if (from_a > i && a->data[from_a - 1].at == y->at)
            sum.count = a->data[--from_a].count;
        sum.count = sample_sum(sum.count, y->count, w->weight, cut);
        a->data[--to] = sum;
        from_b--;
    }
    return APF_OK;
}

static bool target_equal(const struct sample_target *x, const struct sample_target *y)
{
    return x->at == y->at && x->name == y->name;
}

static bool target_above(const struct sample_target *x, const struct sample_target *y)
{
    return x->at != y->at ? x->at > y->at : x->name > y->name;
}

static uint32_t count_new_targets(const struct sample_targets *a, const struct sample_targets *b, uint32_t i)
{
    uint32_t new = 0;
    for (uint32_t k = i; k < b->n; k++) {
        while (i < a->n && target_above(&b->data[k], &a->data[i]))
            i++;
        new += i == a->n || !target_equal(&a->data[i], &b->data[k]);
    }
    return new;
}

/* As add_lines. */
static int add_targets(struct addition *w, struct sample_targets *a, const struct sample_targets *b,
                       struct apf_error *error)
{
    uint64_t *cut = &w->sum->n_saturated;
    uint32_t i = 0;
    while (i < a->n && i < b->n && target_equal(&a->data[i], &b->data[i])) {
        a->data[i].count = sample_sum(a->data[i].count, b->data[i].count, w->weight, cut);
        i++;
    }
    if (i == b->n)
        return APF_OK;
    uint32_t new = count_new_targets(a, b, i);
    int code = SAMPLE_LIST_GROW(&w->sum->blocks, a, (uint64_t)a->n + new, error);
    if (code != APF_OK)
        return code;
    uint32_t from_a = a->n, from_b = b->n, to = a->n + new;
    a->n = to;
    while (from_b > i) {
        const struct sample_target *y = &b->data[from_b - 1];
        if (from_a > i && target_above(&a->data[from_a - 1], y)) {
            a->data[--to] = a->data[--from_a];
            continue;
        }
        struct sample_target sum = *y;
        sum.count = 0;
        if (from_a > i && target_equal(&a->data[from_a - 1], y))
            sum.count = a->data[--from_a].count;
        sum.count = sample_sum(sum.count, y->count, w->weight, cut);
        a->data[--to] = sum;
        from_b--;
    }
    return APF_OK;
}

/* ---- callees ---- */

/* Whether callee x comes before a callee of that place, name and checksum. */
static bool callee_below(const struct sample_node *x, const struct sample_node *y)
{
    return x->at != y->at       ? x->at < y->at
           : x->name != y->name ? x->name < y->name
                                : x->checksum < y->checksum;
}

static bool callee_equal(const struct sample_node *x, const struct sample_node *y)
{
    return x->at == y->at && x->name == y->name && x->checksum == y->checksum;
}

/* A copy of a node of the input, without its lists, for a caller or a context of the sum. */
static struct sample_node copy_of(const struct addition *w, const struct sample_node *from, uint32_t caller,
                                  uint32_t context)
{
    struct sample_node new = {.checksum = from->checksum,
                              .at = from->at,
                              .name = from->name,
                              .context = context,
                              .caller = caller,
                              .input = from->input + w->in->input};
    return new;
}

static int push_callee(struct addition *w, const struct sample_node *from, uint32_t caller, uint32_t *node,
                       struct apf_error *error)
{
    struct sample_node new = copy_of(w, from, caller, SAMPLE_NONE);
    return sample_push_node(w->sum, &new, node, error);
}

/* Inserts callees that the sum lacks, from the end as in add_lines. `i`: the lists are equal before. */
static int insert_callees(struct addition *w, uint32_t to, const struct sample_callees *b, uint32_t i,
                          uint32_t new, struct apf_error *error)
{
    struct sample_callees *a = &w->sum->nodes.data[to].callees;
    int code = SAMPLE_LIST_GROW(&w->sum->blocks, a, (uint64_t)a->n + new, error);
    if (code != APF_OK || !VEC_RESERVE(&w->sum->nodes, new))
        return code == APF_OK ? error_memory(error) : code;
    a = &w->sum->nodes.data[to].callees; /* the reservation may have moved the nodes */
    uint32_t from_a = a->n, from_b = b->n, at = a->n + new;
    a->n = at;
    while (from_b > i) {
        const struct sample_node *y = &w->in->nodes.data[b->data[from_b - 1]];
        const struct sample_node *x = from_a > i ? &w->sum->nodes.data[a->data[from_a - 1]] : NULL;
        struct pair pair = {0, b->data[from_b - 1]};
        if (x && callee_below(y, x)) {
            a->data[--at] = a->data[--from_a];
            continue;
        }
        if (x && callee_equal(x, y))
            pair.to = a->data[--from_a];
        else
            code = push_callee(w, y, to, &pair.to, error);
        if (code == APF_OK && !VEC_PUSH(&w->pairs, pair))
            code = error_memory(error);
        if (code != APF_OK)
            return code;
        a->data[--at] = pair.to;
        from_b--;
    }
    return APF_OK;
}

static int add_callees(struct addition *w, uint32_t to, const struct sample_callees *b,
                       struct apf_error *error)
{
    const struct sample_callees *a = &w->sum->nodes.data[to].callees;
    const struct sample_node *mine = w->sum->nodes.data, *theirs = w->in->nodes.data;
    uint32_t i = 0;
    while (i < a->n && i < b->n && callee_equal(&mine[a->data[i]], &theirs[b->data[i]])) {
        struct pair pair = {a->data[i], b->data[i]};
        PREFETCH(mine[pair.to].lines.data);
        if (!VEC_PUSH(&w->pairs, pair))
            return error_memory(error);
        i++;
    }
    if (i == b->n)
        return APF_OK;
    uint32_t new = 0, k = i;
    for (uint32_t j = i; j < b->n; j++) {
        while (k < a->n && callee_below(&mine[a->data[k]], &theirs[b->data[j]]))
            k++;
        new += k == a->n || !callee_equal(&mine[a->data[k]], &theirs[b->data[j]]);
    }
    return insert_callees(w, to, b, i, new, error);
}

/* ---- nodes ---- */

static int add_extra(struct addition *w, uint32_t to, const struct sample_extra *from,
                     struct apf_error *error)
{
    struct sample_extra *extra = sample_node_extra(w->sum, to);
    if (!extra)
        return error_memory(error);
    sample_join_times(extra, from->first_time);
    return add_targets(w, &extra->vtables, &from->vtables, error);
}

static int add_node(struct addition *w, struct pair pair, struct apf_error *error)
{
    struct sample_node *a = &w->sum->nodes.data[pair.to];
    const struct sample_node *b = &w->in->nodes.data[pair.from];
    uint64_t *cut = &w->sum->n_saturated, before = *cut, unused = 0;
    a->total = sample_sum(a->total, b->total, w->weight, cut);
    a->head = sample_sum(a->head, b->head, w->weight, cut);
    a->votes = sample_sum(sample_sum(a->votes, w->votes, 1, &unused), b->votes, 1, &unused);
    a->input = a->input < b->input + w->in->input ? a->input : b->input + w->in->input;
    a->attributes |= b->attributes;
    a->state |= b->state & SAMPLE_SATURATED;
    int code = b->lines.n ? add_lines(w, &a->lines, &b->lines, error) : APF_OK;
    if (code == APF_OK && b->targets.n)
        code = add_targets(w, &a->targets, &b->targets, error);
    if (code == APF_OK && b->extra)
        code = add_extra(w, pair.to, b->extra, error);
    if (*cut != before)
        w->sum->nodes.data[pair.to].state |= SAMPLE_SATURATED;
    return code == APF_OK && b->callees.n ? add_callees(w, pair.to, &b->callees, error) : code;
}

/* Adds a node with what is inlined in it. */
static int add_tree(struct addition *w, struct pair pair, struct apf_error *error)
{
    int code = add_node(w, pair, error);
    while (code == APF_OK && w->pairs.n)
        code = add_node(w, w->pairs.data[--w->pairs.n], error);
    return code;
}

/* The sum's node for a function at the top level of the input. */
static int find_top(struct addition *w, const struct sample_node *from, uint32_t context, uint32_t *node,
                    struct apf_error *error)
{
    *node = sample_top_find(w->sum, context, from->checksum);
    if (*node != SAMPLE_NONE)
        return APF_OK;
    struct sample_node new = copy_of(w, from, SAMPLE_NONE, context);
    return sample_push_top(w->sum, &new, node, error);
}

/* The functions of an input have another order than those of the sum, so each step from one to its lists misses the
 * cache: the place of its context in first_top -> the sum's node -> its lists -> the nodes inlined in it -> their
 * lists. Each step is taken for a batch of functions, so that the misses of one step overlap. */
#define FETCH_BATCH ((size_t)32)
#define FETCHED_CALLEES 4u
#define FETCHED_LINES 16u
#define LINES_PER_FETCH 4u /* in a line of the cache */

static void fetch_node(const struct sample_node *f)
{
    PREFETCH(f);
    PREFETCH(&f->attributes);
    PREFETCH(&f->extra);
}

static void fetch_lists(const struct sample_node *f)
{
    for (uint32_t i = 0; i < f->lines.n && i < FETCHED_LINES; i += LINES_PER_FETCH)
        PREFETCH(&f->lines.data[i]);
    PREFETCH(f->targets.data);
    PREFETCH(f->callees.data);
}

/* Fetches what the sum has for the functions of the input from number i on. */
static void fetch_batch(const struct addition *w, const uint32_t *contexts, size_t i)
{
    const struct apf_sample *in = w->in;
    const struct sample_node *nodes = w->sum->nodes.data, *have[FETCH_BATCH];
    size_t n = 0, end = in->top.n - i < FETCH_BATCH ? in->top.n : i + FETCH_BATCH;
    for (; i < end; i++) {
        uint32_t node = w->sum->first_top.data[contexts[in->nodes.data[in->top.data[i]].context]];
        if (node != SAMPLE_NONE)
            have[n++] = &nodes[node];
    }
    for (size_t k = 0; k < n; k++)
        fetch_node(have[k]);
    for (size_t k = 0; k < n; k++)
        fetch_lists(have[k]);
    for (size_t k = 0; k < n; k++)
        for (uint32_t c = 0; c < have[k]->callees.n && c < FETCHED_CALLEES; c++)
            fetch_node(&nodes[have[k]->callees.data[c]]);
    for (size_t k = 0; k < n; k++)
        for (uint32_t c = 0; c < have[k]->callees.n && c < FETCHED_CALLEES; c++)
            fetch_lists(&nodes[have[k]->callees.data[c]]);
}

static int add_tops(struct addition *w, const uint32_t *contexts, struct apf_error *error)
{
    const struct apf_sample *in = w->in;
    int code = sample_tops_reserve(w->sum, error);
    /* Everything is new to an empty sum. Any other one grows as it must. */
    if (code == APF_OK && !w->sum->nodes.n && !VEC_RESERVE(&w->sum->nodes, in->nodes.n))
        code = error_memory(error);
    for (size_t i = 0; code == APF_OK && i < in->top.n; i++) {
        struct pair pair = {0, in->top.data[i]};
        const struct sample_node *from = &in->nodes.data[pair.from];
        if (i % FETCH_BATCH == 0)
            fetch_batch(w, contexts, i);
        code = find_top(w, from, contexts[from->context], &pair.to, error);
        if (code == APF_OK)
            code = add_tree(w, pair, error);
    }
    return code;
}

/* The number of symbols of `in` that the sum lacks. */
static size_t count_new_symbols(const struct apf_sample *sum, const struct apf_sample *in)
{
    size_t i = 0, new = 0;
    for (size_t k = 0; k < in->symbols.n; k++) {
        while (i < sum->symbols.n && sort_text_before(NULL, &sum->symbols.data[i], &in->symbols.data[k]))
            i++;
        new += i == sum->symbols.n || !text_equal(sum->symbols.data[i], in->symbols.data[k]);
    }
    return new;
}

/* Inserts what the sum lacks, from the end as in add_lines, so that memory does not grow with equal lists. */
static int add_symbols(struct apf_sample *sum, const struct apf_sample *in, struct apf_error *error)
{
    size_t new = count_new_symbols(sum, in), from_a = sum->symbols.n, from_b = in->symbols.n;
    sum->has_symbols |= in->has_symbols;
    if (!VEC_RESERVE(&sum->symbols, new))
        return error_memory(error);
    struct apf_str *a = sum->symbols.data;
    size_t to = sum->symbols.n = from_a + new;
    while (new) {
        const struct apf_str *y = &in->symbols.data[from_b - 1];
        if (from_a && sort_text_before(NULL, y, &a[from_a - 1])) {
            a[--to] = a[--from_a];
            continue;
        }
        from_b--;
        if (from_a && text_equal(a[from_a - 1], *y))
            continue;
        struct apf_str copy = {arena_text(&sum->symbol_text, y->p, y->n), y->n};
        if (!copy.p)
            return error_memory(error);
        a[--to] = copy;
        new--;
    }
    return APF_OK;
}

/* Adds everything; contexts[i] is the sum's context for context i of the input. */
static int add_all(struct addition *w, const uint32_t *contexts, struct apf_error *error)
{
    w->sum->is_sum = true;
    w->sum->info.flags |= w->in->info.flags;
    int code = add_tops(w, contexts, error);
    VEC_FREE(&w->pairs);
    return code == APF_OK ? add_symbols(w->sum, w->in, error) : code;
}

int sample_add(struct apf_sample *sum, const struct apf_sample *in, const uint32_t *names, uint64_t weight,
               uint64_t votes, struct apf_error *error)
{
    struct addition w = {.sum = sum, .in = in, .weight = weight, .votes = votes};
    uint32_t *contexts = malloc((in->contexts.list.n + 1) * sizeof *contexts);
    int code = contexts ? sample_contexts_adopt(&sum->contexts, &in->contexts, names, contexts, error)
                        : error_memory(error);
    if (code == APF_OK)
        code = add_all(&w, contexts, error);
    free(contexts);
    return code;
}

void sample_become_sum(struct apf_sample *sum, struct apf_sample *in, uint64_t votes)
{
    struct apf_sample empty = *sum;
    *sum = *in;
    empty.names = in->names;
    *in = empty;
    memset(&sum->names, 0, sizeof sum->names);
    sum->info = (struct apf_sample_info){.flags = sum->info.flags};
    sum->is_sum = true;
    sum->n_saturated = sum->sum_of_counts = 0;
    sum->stored = NULL;
    sum->salvage = NULL;
    memset(sum->findings, 0, sizeof sum->findings);
    for (size_t i = 0; i < sum->nodes.n; i++) {
        struct sample_node *f = &sum->nodes.data[i];
        f->votes = votes;
        f->input = sum->input;
        f->state &= SAMPLE_GONE | SAMPLE_SATURATED;
    }
    sum->input = 0;
}

int sample_sum_top(struct apf_sample *sum, uint32_t context, uint64_t checksum, uint32_t *node,
                   struct apf_error *error)
{
    sum->is_sum = true;
    *node = sample_top_find(sum, context, checksum);
    if (*node != SAMPLE_NONE)
        return APF_OK;
    struct sample_node new = {.checksum = checksum,
                              .name = sum->contexts.list.data[context].name,
                              .context = context,
                              .caller = SAMPLE_NONE,
                              .input = SAMPLE_NO_INPUT};
    return sample_push_top(sum, &new, node, error);
}

/* ---- many nodes of one profile in one node ---- */

/* Adds the numbers of a node, and appends its lists; of these with `counts` only the lines, all that summaries need. */
static int append_contents(struct apf_sample *sum, uint32_t to, const struct apf_sample *in,
                           const struct sample_node *f, bool counts, struct apf_error *error)
{
    struct sample_node *a = &sum->nodes.data[to];
    uint64_t n_saturated = sum->n_saturated, unused = 0;
    uint64_t input = f->input + in->input;
    a->total = sample_sum(a->total, f->total, 1, &sum->n_saturated);
    a->head = sample_sum(a->head, f->head, 1, &sum->n_saturated);
    a->votes = sample_sum(a->votes, f->votes, 1, &unused);
    a->input = a->input < input ? a->input : input;
    a->attributes |= f->attributes;
    a->state |= f->state & SAMPLE_SATURATED;
    a->state |= sum->n_saturated != n_saturated ? SAMPLE_SATURATED : 0;
    return counts ? sample_copy_lines(sum, to, &f->lines, error)
                  : sample_copy_lists(sum, to, f, NULL, true, error);
}

static int append_tree(struct addition *w, struct pair first, bool counts, struct apf_error *error)
{
    const struct sample_node *nodes = w->in->nodes.data;
    int code = APF_OK;
    w->pairs.n = 0;
    if (!VEC_PUSH(&w->pairs, first))
        return error_memory(error);
    while (code == APF_OK && w->pairs.n) {
        struct pair pair = w->pairs.data[--w->pairs.n];
        const struct sample_callees *callees = &nodes[pair.from].callees;
        code = append_contents(w->sum, pair.to, w->in, &nodes[pair.from], counts, error);
        for (uint32_t i = 0; code == APF_OK && i < callees->n; i++) {
            struct pair next = {0, callees->data[i]};
            const struct sample_node *f = &nodes[next.from];
            code = sample_inlined(w->sum, pair.to, f->at, f->name, &next.to, error);
            if (code != APF_OK)
                break;
            w->sum->nodes.data[next.to].checksum = counts ? 0 : f->checksum;
            w->sum->nodes.data[next.to].input = SAMPLE_NO_INPUT;
            code = VEC_PUSH(&w->pairs, next) ? APF_OK : error_memory(error);
        }
    }
    return code;
}

int sample_add_node(struct apf_sample *sum, uint32_t to, const struct apf_sample *in, uint32_t from,
                    struct apf_error *error)
{
    struct addition w = {.sum = sum, .in = in};
    int code = append_tree(&w, (struct pair){to, from}, false, error);
    VEC_FREE(&w.pairs);
    return code;
}

int sample_add_plain(struct apf_sample *sum, const struct apf_sample *in, bool counts,
                     struct apf_error *error)
{
    struct addition w = {.sum = sum, .in = in};
    int code = APF_OK;
    for (size_t i = 0; code == APF_OK && i < in->top.n; i++) {
        struct pair pair = {0, in->top.data[i]};
        const struct sample_node *f = &in->nodes.data[pair.from];
        uint32_t context;
        code = sample_contexts_base(&sum->contexts, f->name, &context, error);
        if (code == APF_OK)
            code = sample_sum_top(sum, context, counts ? 0 : f->checksum, &pair.to, error);
        if (code == APF_OK)
            code = append_tree(&w, pair, counts, error);
    }
    VEC_FREE(&w.pairs);
    sum->info.flags |= in->info.flags & ~(uint32_t)APF_SAMPLE_CONTEXTS;
    return code == APF_OK ? sample_seal(sum, error) : code;
}
