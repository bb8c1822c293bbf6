/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "sample/views/sample_folded.h"

#include <stdlib.h>

#include "base/error.h"
#include "base/sort.h"

struct builder {
    const struct apf_sample *sample;
    const uint32_t *names;
    const uint8_t *left_out; /* nodes: see sample_find_duplicates */
    enum sample_folded_kind kind;
    struct sample_folded_lists *lists;
    size_t *next; /* of each function, where its next entry goes */
};

static uint64_t sum_lines(const struct sample_node *f)
{
    uint64_t sum = 0, cut = 0;
    for (uint32_t i = 0; i < f->lines.n; i++)
        sum = sample_sum(sum, f->lines.data[i].count, 1, &cut);
    return sum;
}

static uint32_t count_entries(const struct sample_node *f, enum sample_folded_kind kind)
{
    switch (kind) {
    case SAMPLE_FOLDED_LINES:
        return f->lines.n;
    case SAMPLE_FOLDED_TARGETS:
        return f->targets.n;
    case SAMPLE_FOLDED_VTABLES:
        return sample_vtables(f)->n;
    case SAMPLE_FOLDED_CALLERS:
        return 1;
    default:
        return f->checksum != 0;
    }
}

static uint32_t caller_of(const struct builder *b, const struct sample_node *f)
{
    const struct sample_context *contexts = b->sample->contexts.list.data;
    if (f->caller != SAMPLE_NONE)
        return b->names[b->sample->nodes.data[f->caller].name];
    uint32_t caller = contexts[f->context].caller;
    return caller == SAMPLE_NONE ? SAMPLE_NONE : b->names[contexts[caller].name];
}

static void append_count(struct builder *b, uint32_t function, uint64_t at, uint32_t name, uint64_t count)
{
    struct sample_target new = {at, count, name};
    b->lists->data[b->next[function]++] = new;
}

static void append_targets(struct builder *b, uint32_t function, const struct sample_targets *list)
{
    for (uint32_t i = 0; i < list->n; i++)
        append_count(b, function, list->data[i].at, b->names[list->data[i].name], list->data[i].count);
}

static void append_node(struct builder *b, const struct sample_node *f)
{
    uint32_t function = b->names[f->name];
    switch (b->kind) {
    case SAMPLE_FOLDED_LINES:
        for (uint32_t i = 0; i < f->lines.n; i++)
            append_count(b, function, f->lines.data[i].at, 0, f->lines.data[i].count);
        break;
    case SAMPLE_FOLDED_TARGETS:
        append_targets(b, function, &f->targets);
        break;
    case SAMPLE_FOLDED_VTABLES:
        append_targets(b, function, sample_vtables(f));
        break;
    case SAMPLE_FOLDED_CALLERS:
        append_count(b, function, 0, caller_of(b, f), sum_lines(f));
        break;
    default:
        if (f->checksum)
            append_count(b, function, f->checksum, 0, sum_lines(f));
    }
}

static bool entry_before(const void *context, const void *a, const void *b)
{
    const struct sample_target *x = a, *y = b;
    (void)context;
    return x->at != y->at ? x->at < y->at : x->name < y->name;
}

/* Sorts n entries and adds up equal ones; returns how many are left. */
static uint32_t join_entries(struct sample_target *list, struct sample_target *scratch, size_t n)
{
    uint32_t last = 0;
    uint64_t cut = 0;
    bool sorted = true;
    for (size_t i = 1; i < n; i++)
        sorted &= entry_before(NULL, &list[i - 1], &list[i]);
    if (sorted)
        return (uint32_t)n;
    sort_merge(list, scratch, n, sizeof *list, entry_before, NULL);
    for (size_t i = 1; i < n; i++)
        if (entry_before(NULL, &list[last], &list[i]))
            list[++last] = list[i];
        else
            list[last].count = sample_sum(list[last].count, list[i].count, 1, &cut);
    return last + 1;
}

/* Makes the lists of one kind for n functions. */
static bool make_lists(struct builder *b, size_t n)
{
    struct sample_folded_lists *l = b->lists;
    const struct apf_sample *s = b->sample;
    size_t most = 0;
    l->first = calloc(n + 2, sizeof *l->first);
    l->n = calloc(n + 1, sizeof *l->n);
    if (!l->first || !l->n)
        return false;
    for (size_t i = 0; i < s->nodes.n; i++)
        if (!b->left_out[i])
            l->first[b->names[s->nodes.data[i].name] + 2] += count_entries(&s->nodes.data[i], b->kind);
    for (size_t i = 2; i < n + 2; i++) {
        most = most < l->first[i] ? l->first[i] : most;
        l->first[i] += l->first[i - 1];
    }
    l->data = malloc((l->first[n + 1] + 1) * sizeof *l->data);
    struct sample_target *scratch = malloc((most + 1) * sizeof *scratch);
    b->next = l->first + 1; /* the next entry of function i ends as the first of function i + 1 */
    for (size_t i = 0; l->data && scratch && i < s->nodes.n; i++)
        if (!b->left_out[i])
            append_node(b, &s->nodes.data[i]);
    for (size_t i = 0; l->data && scratch && i < n; i++)
        l->n[i] = join_entries(l->data + l->first[i], scratch, l->first[i + 1] - l->first[i]);
    free(scratch);
    return l->data && scratch;
}

int sample_folded_make(struct sample_folded *f, const struct apf_sample *s, const uint32_t *names, size_t n,
                       struct apf_error *error)
{
    uint8_t *left_out = sample_find_duplicates(s);
    struct builder b = {.sample = s, .names = names, .left_out = left_out};
    uint64_t cut = 0;
    f->heads = calloc(n + 1, sizeof *f->heads);
    f->attributes = calloc(n + 1, sizeof *f->attributes);
    bool ok = left_out && f->heads && f->attributes;
    for (size_t i = 0; ok && i < s->nodes.n; i++) {
        const struct sample_node *node = &s->nodes.data[i];
        if (left_out[i])
            continue;
        f->heads[names[node->name]] = sample_sum(f->heads[names[node->name]], node->head, 1, &cut);
        f->attributes[names[node->name]] |= node->attributes;
    }
    for (unsigned kind = 0; ok && kind < SAMPLE_FOLDED_KINDS; kind++) {
        b.kind = (enum sample_folded_kind)kind;
        b.lists = &f->lists[kind];
        ok = make_lists(&b, n);
    }
    free(left_out);
    return ok ? APF_OK : error_memory(error);
}

void sample_folded_free(struct sample_folded *f)
{
    for (unsigned kind = 0; kind < SAMPLE_FOLDED_KINDS; kind++) {
        free(f->lists[kind].first);
        free(f->lists[kind].n);
        free(f->lists[kind].data);
    }
    free(f->heads);
    free(f->attributes);
}
