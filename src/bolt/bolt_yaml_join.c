/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Adds the counts of a function's blocks to those of the profile.
 *
 * * * Lists of successors and calls with equal keys in one order, as in most files of one binary, are added number by
 * number and keep that order, the order of the control flow graph. Other lists are concatenated, sorted, and equal
 * entries become one. So the result does not depend on which list came first: either all lists are alike, or it is
 * sorted. */
#include <stdlib.h>

#include "base/error.h"
#include "base/sort.h"
#include "base/text_bytes.h"
#include "bolt/bolt_yaml_model.h"

bool yaml_join_probes(struct apf_bolt_yaml *y, struct apf_str *to, struct apf_str from)
{
    if (from.n == 0 || text_equal(*to, from))
        return true;
    if (to->n == 0) {
        *to = from;
        return yaml_keep(y, to);
    }
    y->info.probes_dropped = 1;
    return true;
}

/* ---- edges ---- */

static bool same_edge(const struct apf_bolt_yaml_edge *a, const struct apf_bolt_yaml_edge *b)
{
    return a->to == b->to && a->offset == b->offset && a->entry == b->entry;
}

static bool same_edges(const struct yaml_edges *a, const struct apf_bolt_yaml_edge *b, size_t n)
{
    if (a->n != n)
        return false;
    for (size_t i = 0; i < n; i++)
        if (!same_edge(&a->data[i], &b[i]))
            return false;
    return true;
}

static bool edge_before(const void *context, const void *pa, const void *pb)
{
    const struct apf_bolt_yaml_edge *a = pa, *b = pb;
    (void)context;
    if (a->offset != b->offset)
        return a->offset < b->offset;
    return a->to != b->to ? a->to < b->to : a->entry < b->entry;
}

static void add_edge(struct apf_bolt_yaml *y, struct apf_bolt_yaml_edge *to,
                     const struct apf_bolt_yaml_edge *from)
{
    bool has = from->probe || from->node || from->indirect, had = to->probe || to->node || to->indirect;
    yaml_add_up(y, &to->count, from->count);
    yaml_add_up(y, &to->mispredictions, from->mispredictions);
    if (has && had && (to->probe != from->probe || to->node != from->node || to->indirect != from->indirect))
        y->info.probes_dropped = 1;
    if (has && !had) {
        to->probe = from->probe;
        to->node = from->node;
        to->indirect = from->indirect;
    }
}

/* Makes room in a list; false: allocation failed. */
static bool reserve_edges(struct apf_bolt_yaml *y, struct yaml_edges *list, size_t more)
{
    if (list->data && more <= list->capacity - list->n)
        return true;
    size_t capacity = list->data ? 2 * (list->n + more) : more;
    struct apf_bolt_yaml_edge *data = arena_array(&y->arena, capacity, sizeof *data);
    if (!data)
        return false;
    if (list->data)
        memcpy(data, list->data, list->n * sizeof *data);
    list->data = data;
    list->capacity = capacity;
    return true;
}

/* Sorts a list and joins equal entries. */
static bool unite_edges(struct apf_bolt_yaml *y, struct yaml_edges *list)
{
    struct apf_bolt_yaml_edge *scratch = calloc(list->n, sizeof *scratch);
    size_t n = 0;
    if (!scratch)
        return false;
    sort_merge(list->data, scratch, list->n, sizeof *scratch, edge_before, NULL);
    free(scratch);
    for (size_t i = 0; i < list->n; i++) {
        if (n && same_edge(&list->data[n - 1], &list->data[i]))
            add_edge(y, &list->data[n - 1], &list->data[i]);
        else
            list->data[n++] = list->data[i];
    }
    list->n = n;
    return true;
}

static bool join_edges(struct apf_bolt_yaml *y, struct yaml_edges *to, const struct apf_bolt_yaml_edge *from,
                       size_t n)
{
    if (n == 0)
        return true;
    if (to->data && same_edges(to, from, n)) {
        for (size_t i = 0; i < n; i++)
            add_edge(y, &to->data[i], &from[i]);
        return true;
    }
    bool first = to->n == 0;
    if (!reserve_edges(y, to, n))
        return false;
    memcpy(to->data + to->n, from, n * sizeof *from);
    to->n += n;
    return first || unite_edges(y, to);
}

/* ---- blocks ---- */

static bool fill_block(struct apf_bolt_yaml *y, struct yaml_block *to, const struct apf_bolt_yaml_block *from)
{
    yaml_add_up(y, &to->exec, from->exec);
    yaml_add_up(y, &to->events, from->events);
    return join_edges(y, &to->calls, from->calls, from->n_calls) &&
           join_edges(y, &to->successors, from->successors, from->n_successors) &&
           yaml_join_probes(y, &to->probes, from->probes);
}

/* Counts the blocks that the function does not have yet. */
static size_t count_new(const struct yaml_function *to, const struct apf_bolt_yaml_function *from)
{
    size_t n = 0, i = 0;
    for (size_t k = 0; k < from->n_blocks; k++) {
        while (i < to->n && to->blocks[i].index < from->blocks[k].index)
            i++;
        n += i == to->n || to->blocks[i].index != from->blocks[k].index;
    }
    return n;
}

/* Inserts the new blocks without their counts, moving blocks from the end on. */
static bool open_up(struct apf_bolt_yaml *y, struct yaml_function *to,
                    const struct apf_bolt_yaml_function *from, size_t more)
{
    if (more > to->capacity - to->n) {
        size_t capacity = to->n ? 2 * (to->n + more) : more;
        struct yaml_block *blocks = arena_array(&y->arena, capacity, sizeof *blocks);
        if (!blocks)
            return false;
        if (to->n)
            memcpy(blocks, to->blocks, to->n * sizeof *blocks);
        to->blocks = blocks;
        to->capacity = capacity;
    }
    size_t i = to->n, k = from->n_blocks, at = to->n + more;
    to->n = at;
    while (at > i) { /* until no new block is left */
        const struct apf_bolt_yaml_block *b = &from->blocks[k - 1];
        if (i && to->blocks[i - 1].index >= b->index) {
            k -= to->blocks[i - 1].index == b->index;
            to->blocks[--at] = to->blocks[--i];
            continue;
        }
        struct yaml_block fresh = {.hash = b->hash, .index = b->index, .n_instructions = b->n_instructions};
        to->blocks[--at] = fresh;
        k--;
    }
    return true;
}

int yaml_join_blocks(struct apf_bolt_yaml *y, struct yaml_function *to,
                     const struct apf_bolt_yaml_function *from, uint32_t file, struct apf_error *error)
{
    size_t more = count_new(to, from), i = 0;
    if (more && !open_up(y, to, from, more))
        return error_memory(error);
    for (size_t k = 0; k < from->n_blocks; k++) {
        const struct apf_bolt_yaml_block *b = &from->blocks[k];
        while (to->blocks[i].index != b->index)
            i++;
        if (to->blocks[i].n_instructions != b->n_instructions)
            return yaml_conflict(y, to, file, "yaml.functions.blocks.insns",
                                 "number of instructions in block mismatch", error);
        if (to->blocks[i].hash != b->hash)
            return yaml_conflict(y, to, file, "yaml.functions.blocks.hash", "basic block hash mismatch",
                                 error);
        if (!fill_block(y, &to->blocks[i], b))
            return error_memory(error);
    }
    return APF_OK;
}
