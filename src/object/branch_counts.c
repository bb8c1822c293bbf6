/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "object/branch_counts.h"

#include "base/error.h"

static bool is_equal(const struct branch_sample *a, const struct branch_sample *b)
{
    return a->branch == b->branch && a->from == b->from && a->to == b->to && a->kind == b->kind;
}

int branch_counts_reserve(struct branch_counts *c, size_t more, struct apf_error *error)
{
    if (!hash_index_reserve(&c->index, more))
        return hash_index_error(&c->index, error);
    return VEC_RESERVE(&c->list, more) ? APF_OK : error_memory(error);
}

void branch_counts_add(struct branch_counts *c, const struct branch_sample *sample)
{
    uint64_t hash = hash_index_mix(&c->index, sample->branch, sample->from);
    hash = hash_index_mix(&c->index, hash ^ sample->to, sample->kind);
    uint32_t i;
    HASH_INDEX_FIND(i, &c->index, hash, is_equal(&c->list.data[i], sample));
    if (i == HASH_INDEX_NONE) {
        hash_index_add(&c->index, hash, (uint32_t)c->list.n);
        c->list.data[c->list.n++] = *sample;
        return;
    }
    struct branch_sample *known = &c->list.data[i];
    known->count = add_up_to(BRANCH_COUNT_MOST, known->count, sample->count);
    known->mispredictions = add_up_to(BRANCH_COUNT_MOST, known->mispredictions, sample->mispredictions);
}

void branch_counts_finish(struct branch_counts *c)
{
    hash_index_free(&c->index);
}

void branch_counts_free(struct branch_counts *c)
{
    VEC_FREE(&c->list);
    hash_index_free(&c->index);
}
