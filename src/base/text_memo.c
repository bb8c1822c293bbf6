/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "base/text_memo.h"

static uint64_t hash_of(const struct text_memo *memo, struct apf_str text)
{
    return hash_index_mix(&memo->index, (uint64_t)(uintptr_t)text.p, text.n);
}

uint32_t text_memo_find(const struct text_memo *memo, struct apf_str text)
{
    uint32_t e;
    HASH_INDEX_FIND(e, &memo->index, hash_of(memo, text),
                    memo->list.data[e].text.p == text.p && memo->list.data[e].text.n == text.n);
    return e == HASH_INDEX_NONE ? e : memo->list.data[e].number;
}

bool text_memo_add(struct text_memo *memo, struct apf_str text, uint32_t number)
{
    const struct text_memo_entry entry = {text, number};
    if (!hash_index_reserve(&memo->index, 1) || !VEC_RESERVE(&memo->list, 1))
        return false;
    hash_index_add(&memo->index, hash_of(memo, text), (uint32_t)memo->list.n);
    memo->list.data[memo->list.n++] = entry;
    return true;
}

void text_memo_free(struct text_memo *memo)
{
    hash_index_free(&memo->index);
    VEC_FREE(&memo->list);
}
