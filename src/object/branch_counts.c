/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "object/branch_counts.h"

#include <stdlib.h>

#include "base/error.h"
#include "base/quick_hash.h"

static bool is_equal(const struct branch_sample *a, const struct branch_sample *b)
{
    return a->branch == b->branch && a->from == b->from && a->to == b->to && a->kind == b->kind;
}

#define RECENT ((size_t)16384)

static uint32_t *recent_at(const struct branch_counts *c, const struct branch_sample *s)
{
    const uint64_t kind = s->kind ^ s->kind >> 32; /* the process is in the upper half */
    return &c->recent[quick_hash(s->branch ^ kind << 32, s->from, s->to) % RECENT];
}

int branch_counts_reserve(struct branch_counts *c, size_t more, struct apf_error *error)
{
    if (!hash_index_reserve(&c->index, more))
        return hash_index_error(&c->index, error);
    if (!c->recent && !(c->recent = calloc(RECENT, sizeof *c->recent)))
        return error_memory(error);
    return VEC_RESERVE(&c->list, more) ? APF_OK : error_memory(error);
}

/* Finds the place of a sample, or makes one. */
static uint32_t find_sample(struct branch_counts *c, const struct branch_sample *sample)
{
    uint64_t hash = hash_index_mix(&c->index, sample->branch, sample->from);
    hash = hash_index_mix(&c->index, hash ^ sample->to, sample->kind);
    uint32_t i;
    HASH_INDEX_FIND(i, &c->index, hash, is_equal(&c->list.data[i], sample));
    if (i == HASH_INDEX_NONE) {
        i = (uint32_t)c->list.n;
        hash_index_add(&c->index, hash, i);
        c->list.data[c->list.n] = *sample;
        c->list.data[c->list.n++].count = c->list.data[i].mispredictions = 0;
    }
    return i;
}

void branch_counts_add(struct branch_counts *c, const struct branch_sample *sample)
{
    uint32_t *recent = recent_at(c, sample);
    if (*recent >= c->list.n || !is_equal(&c->list.data[*recent], sample))
        *recent = find_sample(c, sample);
    struct branch_sample *known = &c->list.data[*recent];
    known->count = add_up_to(BRANCH_COUNT_MOST, known->count, sample->count);
    known->mispredictions = add_up_to(BRANCH_COUNT_MOST, known->mispredictions, sample->mispredictions);
}

void branch_counts_finish(struct branch_counts *c)
{
    hash_index_free(&c->index);
    free(c->recent);
    c->recent = NULL;
}

void branch_counts_free(struct branch_counts *c)
{
    VEC_FREE(&c->list);
    hash_index_free(&c->index);
    free(c->recent);
    c->recent = NULL;
}
