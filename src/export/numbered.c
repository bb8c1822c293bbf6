/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "export/numbered.h"

#include "base/error.h"

int numbered_texts_add(struct numbered_texts *table, struct apf_str text, bool stays, uint32_t *number,
                       struct apf_error *error)
{
    if (!stays)
        return text_set_add(&table->set, text, number, error);
    *number = text_memo_find(&table->memo, text);
    if (*number != HASH_INDEX_NONE)
        return APF_OK;
    const int code = text_set_add(&table->set, text, number, error);
    return code != APF_OK || text_memo_add(&table->memo, text, *number) ? code : error_memory(error);
}

void numbered_texts_free(struct numbered_texts *table)
{
    text_memo_free(&table->memo);
    text_set_free(&table->set);
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
