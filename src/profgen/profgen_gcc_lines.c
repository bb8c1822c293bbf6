/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profgen/profgen_gcc_lines.h"

#include "base/error.h"

void profgen_gcc_lines_free(struct profgen_gcc_lines *c)
{
    VEC_FREE(&c->list);
    hash_index_free(&c->index);
}

int profgen_gcc_lines_add(struct profgen_gcc_lines *c, uint32_t of, uint64_t at, uint64_t count,
                          enum profgen_gcc_role role, struct apf_error *error)
{
    const struct profgen_gcc_line new = {.at = at, .of = of};
    uint32_t i;
    if (!hash_index_reserve(&c->index, 1) || !VEC_RESERVE(&c->list, 1))
        return hash_index_error(&c->index, error);
    uint64_t hash = hash_index_mix(&c->index, at, of);
    HASH_INDEX_FIND(i, &c->index, hash, c->list.data[i].at == at && c->list.data[i].of == of);
    if (i == HASH_INDEX_NONE) {
        i = (uint32_t)c->list.n;
        c->list.data[c->list.n++] = new;
        hash_index_add(&c->index, hash, i);
    }
    struct profgen_gcc_line *line = &c->list.data[i];
    uint64_t *most = role == PROFGEN_GCC_CALLED ? &line->called : &line->any;
    *most = count > *most ? count : *most;
    if (role == PROFGEN_GCC_STATEMENT && count > line->begun)
        line->begun = count;
    if (role == PROFGEN_GCC_RESUMES && count > line->resumed)
        line->resumed = count;
    line->roles[role] = true;
    return APF_OK;
}
