/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "export/numbered.h"

#include <string.h>

#include "base/error.h"
#include "base/text_bytes.h"

int numbered_texts_add(struct numbered_texts *table, struct apf_str text, uint32_t *number,
                       struct apf_error *error)
{
    if (!hash_index_reserve(&table->index, 1) || !VEC_RESERVE(&table->list, 1))
        return hash_index_error(&table->index, error);
    const uint64_t hash = hash_index_bytes(&table->index, text.p, text.n);
    HASH_INDEX_FIND(*number, &table->index, hash, text_equal(table->list.data[*number], text));
    if (*number != HASH_INDEX_NONE)
        return APF_OK;
    char *copy = (char *)arena_bytes(&table->arena, text.n);
    if (!copy)
        return error_memory(error);
    if (text.n)
        memcpy(copy, text.p, text.n);
    *number = (uint32_t)table->list.n;
    table->list.data[table->list.n++] = (struct apf_str){copy, text.n};
    hash_index_add(&table->index, hash, *number);
    return APF_OK;
}

int numbered_texts_add_staying(struct numbered_texts *table, struct apf_str text, uint32_t *number,
                               struct apf_error *error)
{
    *number = text_memo_find(&table->memo, text);
    if (*number != HASH_INDEX_NONE)
        return APF_OK;
    const int code = numbered_texts_add(table, text, number, error);
    return code != APF_OK || text_memo_add(&table->memo, text, *number) ? code : error_memory(error);
}

void numbered_texts_free(struct numbered_texts *table)
{
    text_memo_free(&table->memo);
    arena_free(&table->arena);
    hash_index_free(&table->index);
    VEC_FREE(&table->list);
}

int numbered_pairs_add(struct numbered_pairs *table, uint64_t a, uint64_t b, uint32_t *number,
                       struct apf_error *error)
{
    if (!hash_index_reserve(&table->index, 1) || !VEC_RESERVE(&table->list, 1))
        return hash_index_error(&table->index, error);
    const uint64_t hash = hash_index_mix(&table->index, a, b);
    HASH_INDEX_FIND(*number, &table->index, hash,
                    table->list.data[*number].a == a && table->list.data[*number].b == b);
    if (*number != HASH_INDEX_NONE)
        return APF_OK;
    *number = (uint32_t)table->list.n;
    table->list.data[table->list.n++] = (struct number_pair){a, b};
    hash_index_add(&table->index, hash, *number);
    return APF_OK;
}

void numbered_pairs_free(struct numbered_pairs *table)
{
    hash_index_free(&table->index);
    VEC_FREE(&table->list);
}
