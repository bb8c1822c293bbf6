/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "base/text_set.h"

#include "base/error.h"
#include "base/text_bytes.h"

static uint32_t find(const struct text_set *set, struct apf_str text, uint64_t hash)
{
    uint32_t number;
    HASH_INDEX_FIND(number, &set->index, hash, text_equal(set->list.data[number], text));
    return number;
}

int text_set_add(struct text_set *set, struct apf_str text, uint32_t *number, struct apf_error *error)
{
    if (!hash_index_reserve(&set->index, 1)) /* before the hash, which needs the key of a table */
        return hash_index_error(&set->index, error);
    const uint64_t hash = hash_index_bytes(&set->index, text.p, text.n);
    *number = find(set, text, hash);
    if (*number != HASH_INDEX_NONE)
        return APF_OK;
    text.p = arena_text(&set->arena, text.n ? text.p : "", text.n);
    if (!text.p || !VEC_RESERVE(&set->list, 1))
        return error_memory(error);
    *number = (uint32_t)set->list.n;
    set->list.data[set->list.n++] = text;
    hash_index_add(&set->index, hash, *number);
    return APF_OK;
}

uint32_t text_set_find(const struct text_set *set, struct apf_str text)
{
    return find(set, text, hash_index_bytes(&set->index, text.p, text.n));
}

void text_set_free(struct text_set *set)
{
    VEC_FREE(&set->list);
    hash_index_free(&set->index);
    arena_free(&set->arena);
}
