/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "instr/renames.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "instr/releases.h"

static int add(struct renames *r, struct symbols *symbols, const struct symbol *old, size_t split,
               char separator, struct apf_error *error)
{
    struct rename rename = {old->id, 0};
    char *name = malloc(old->n);
    if (!name || !hash_index_reserve(&r->index, 1) || !VEC_RESERVE(&r->list, 1)) {
        free(name);
        return error_memory(error);
    }
    memcpy(name, old->p, old->n);
    name[split] = separator;
    uint32_t entry = 0;
    int code = symbols_add(symbols, name, old->n, true, &rename.to, &entry, error);
    free(name);
    if (code != APF_OK)
        return code;
    symbols->list.data[entry].flags |= old->flags;
    hash_index_add(&r->index, hash_index_mix(&r->index, rename.from, 0), (uint32_t)r->list.n);
    r->list.data[r->list.n++] = rename;
    return APF_OK;
}

int renames_make(struct renames *r, struct symbols *symbols, uint32_t flags, char separator,
                 struct apf_error *error)
{
    size_t n = symbols->list.n; /* the new names go behind these */
    char other = separator == ':' ? ';' : ':';
    int code = APF_OK;
    for (size_t i = 0; code == APF_OK && i < n; i++) {
        struct symbol old = symbols->list.data[i];
        size_t split = local_name_split(old.p, old.n, other);
        /* A name that already has the right separator in front is local in the right way. */
        size_t right = local_name_split(old.p, old.n, separator);
        if (old.flags & flags && split && !right)
            code = add(r, symbols, &old, split, separator, error);
    }
    return code;
}

uint64_t renames_apply(const struct renames *r, uint64_t id)
{
    uint64_t hash = hash_index_mix(&r->index, id, 0);
    size_t pos = hash_index_first(&r->index, hash);
    uint32_t e;
    while ((e = hash_index_next(&r->index, hash, &pos)) != HASH_INDEX_NONE)
        if (r->list.data[e].from == id)
            return r->list.data[e].to;
    return id;
}

void renames_free(struct renames *r)
{
    VEC_FREE(&r->list);
    hash_index_free(&r->index);
}
