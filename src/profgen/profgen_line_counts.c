/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profgen/profgen_line_counts.h"

#include "base/error.h"

void line_counts_free(struct line_counts *c)
{
    VEC_FREE(&c->list);
    hash_index_free(&c->index);
}

int line_counts_raise(struct line_counts *c, uint32_t of, uint64_t at, uint64_t count,
                      struct apf_error *error)
{
    uint32_t i;
    struct line_count line = {at, count, of};
    if (!hash_index_reserve(&c->index, 1) || !VEC_RESERVE(&c->list, 1))
        return hash_index_error(&c->index, error);
    uint64_t hash = hash_index_mix(&c->index, at, of);
    HASH_INDEX_FIND(i, &c->index, hash, c->list.data[i].at == at && c->list.data[i].of == of);
    if (i == HASH_INDEX_NONE) {
        hash_index_add(&c->index, hash, (uint32_t)c->list.n);
        c->list.data[c->list.n++] = line;
    } else if (c->list.data[i].count < count) {
        c->list.data[i].count = count;
    }
    return APF_OK;
}
