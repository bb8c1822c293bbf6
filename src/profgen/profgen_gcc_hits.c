/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profgen/profgen_gcc_hits.h"

#include "base/error.h"
#include "base/search.h"
#include "base/sort.h"
#include "profgen/profgen_finish.h"

void profgen_hits_free(struct profgen_hits *h)
{
    VEC_FREE(&h->list);
    hash_index_free(&h->index);
}

int profgen_hits_add(struct profgen_hits *h, uint64_t address, uint64_t count, uint64_t time,
                     struct apf_error *error)
{
    const struct profgen_hit new = {.address = address};
    uint32_t i;
    if (!hash_index_reserve(&h->index, 1) || !VEC_RESERVE(&h->list, 1))
        return hash_index_error(&h->index, error);
    uint64_t hash = hash_index_mix(&h->index, address, 0);
    HASH_INDEX_FIND(i, &h->index, hash, h->list.data[i].address == address);
    if (i == HASH_INDEX_NONE) {
        i = (uint32_t)h->list.n;
        h->list.data[h->list.n++] = new;
        hash_index_add(&h->index, hash, i);
    }
    struct profgen_hit *hit = &h->list.data[i];
    hit->count = profgen_sum(hit->count, count);
    if (time && (!hit->time || time < hit->time))
        hit->time = time;
    return APF_OK;
}

/* ---- blocks ---- */

struct blocks {
    struct profgen_gcc_ranges *ranges;
    struct code_map *code;
    VEC(uint64_t) targets;        /* of jumps, sorted */
    VEC(struct profgen_hit) hits; /* by address */
    uint64_t placed;              /* samples in blocks */
    struct apf_error *error;
};

static int add_targets(struct blocks *b, const struct profgen_gcc_part *part)
{
    struct instruction_flow flow;
    for (uint64_t at = code_map_from(b->code, part->start); at < part->end;
         at = code_map_from(b->code, at + 1))
        if (code_map_kind(b->code, at) == INSTRUCTION_BRANCH && code_map_jump(b->code, at, &flow) &&
            flow.direct && !VEC_PUSH(&b->targets, flow.target))
            return error_memory(b->error);
    return APF_OK;
}

/* The samples in [start, end). */
static uint64_t count_hits(const struct blocks *b, uint64_t start, uint64_t end)
{
    uint64_t sum = 0;
    size_t i;
    SEARCH(i, 0, b->hits.n, b->hits.data[i].address < start);
    for (; i < b->hits.n && b->hits.data[i].address < end; i++)
        sum = profgen_sum(sum, b->hits.data[i].count);
    return sum;
}

/* Adds a block of n instructions. */
static int add_block(struct blocks *b, uint64_t start, uint64_t last, uint64_t end, uint64_t n)
{
    uint64_t sum = count_hits(b, start, end);
    struct pair_count block = {{start, last, 0}, profgen_product(sum, PROFGEN_HIT_WEIGHT) / n};
    b->placed = profgen_sum(b->placed, sum);
    if (sum && !block.count)
        block.count = 1;
    return VEC_PUSH(&b->ranges->list, block) ? APF_OK : error_memory(b->error);
}

static int add_blocks(struct blocks *b, const struct profgen_gcc_part *part)
{
    uint64_t start = 0, n = 0, next;
    int code = APF_OK;
    for (uint64_t at = code_map_from(b->code, part->start); code == APF_OK && at < part->end; at = next) {
        enum instruction_kind kind = code_map_kind(b->code, at);
        next = code_map_from(b->code, at + 1);
        start = n ? start : at;
        n++;
        bool ends = next >= part->end || kind == INSTRUCTION_BRANCH || kind == INSTRUCTION_RETURN ||
                    sort_has_number(b->targets.data, b->targets.n, next);
        if (!ends)
            continue;
        code = add_block(b, start, at, next < part->end ? next : part->end, n);
        n = 0;
    }
    return code;
}

static bool hit_before(const void *context, const void *a, const void *b)
{
    const struct profgen_hit *x = a, *y = b;
    (void)context;
    return x->address < y->address;
}

static int sort_all(struct blocks *b, const struct profgen_hits *h)
{
    for (size_t i = 0; i < h->list.n; i++)
        if (!VEC_PUSH(&b->hits, h->list.data[i]))
            return error_memory(b->error);
    if (!VEC_RESERVE(&b->targets, b->targets.n) || !SORT_VEC(&b->hits, hit_before, NULL))
        return error_memory(b->error);
    if (b->targets.n)
        sort_numbers(b->targets.data, b->targets.data + b->targets.n, b->targets.n);
    return APF_OK;
}

int profgen_gcc_blocks(struct profgen_gcc_ranges *ranges, const struct profgen_hits *h,
                       const struct profgen_gcc_functions *functions, struct code_map *code,
                       struct apf_error *error)
{
    struct blocks b = {.ranges = ranges, .code = code, .error = error};
    int result = APF_OK;
    for (size_t i = 0; result == APF_OK && i < functions->parts.n; i++)
        if (functions->list.data[functions->parts.data[i].function].ran)
            result = add_targets(&b, &functions->parts.data[i]);
    if (result == APF_OK)
        result = sort_all(&b, h);
    for (size_t i = 0; result == APF_OK && i < functions->parts.n; i++)
        if (functions->list.data[functions->parts.data[i].function].ran)
            result = add_blocks(&b, &functions->parts.data[i]);
    const uint64_t all = result == APF_OK ? count_hits(&b, 0, UINT64_MAX) : 0;
    ranges->unknown = all > b.placed ? all - b.placed : 0;
    VEC_FREE(&b.targets);
    VEC_FREE(&b.hits);
    return result;
}
