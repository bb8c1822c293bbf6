/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "programs/cov_ids.h"

#include "base/error.h"
#include "base/text_bytes.h"

bool cov_ids_have(const struct cov_ids *ids, struct apf_str id)
{
    uint32_t e;
    HASH_INDEX_FIND(e, &ids->index, hash_index_bytes(&ids->index, id.p, id.n),
                    text_equal(ids->list.data[e], id));
    return e != HASH_INDEX_NONE;
}

int cov_ids_add(struct cov_ids *ids, struct apf_str id, struct apf_error *error)
{
    if (!hash_index_reserve(&ids->index, 1) || !VEC_RESERVE(&ids->list, 1))
        return hash_index_error(&ids->index, error);
    if (id.n == 0 || cov_ids_have(ids, id))
        return APF_OK;
    hash_index_add(&ids->index, hash_index_bytes(&ids->index, id.p, id.n), (uint32_t)ids->list.n);
    ids->list.data[ids->list.n++] = id;
    return APF_OK;
}

void cov_ids_free(struct cov_ids *ids)
{
    VEC_FREE(&ids->list);
    hash_index_free(&ids->index);
}
