/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "sample/merge/sample_remap.h"

#include <stdlib.h>

#include "base/error.h"
#include "base/md5.h"

void sample_remaps_free(struct sample_remaps *r)
{
    VEC_FREE(&r->list);
    hash_index_free(&r->by_text);
    hash_index_free(&r->by_hash);
}

/* The number of the change of a name, or HASH_INDEX_NONE. */
static uint32_t find_text(const struct sample_remaps *r, struct apf_str name)
{
    uint32_t e;
    HASH_INDEX_FIND(e, &r->by_text, hash_index_bytes(&r->by_text, name.p, name.n),
                    text_equal(r->list.data[e].from, name));
    return e;
}

static uint32_t find_hash(const struct sample_remaps *r, uint64_t hash)
{
    const struct apf_name_change *list = r->list.data;
    uint32_t e;
    HASH_INDEX_FIND(e, &r->by_hash, hash_index_mix(&r->by_hash, hash, 0),
                    md5_name_ref(list[e].from.p, list[e].from.n) == hash);
    return e;
}

int sample_remaps_copy(struct sample_remaps *r, const struct apf_name_change *changes, size_t n,
                       struct arena *arena, struct apf_error *error)
{
    if (!hash_index_reserve(&r->by_text, n) || !hash_index_reserve(&r->by_hash, n) ||
        !VEC_RESERVE(&r->list, n))
        return hash_index_error(&r->by_text, error);
    for (size_t i = 0; i < n; i++) {
        struct apf_str from = changes[i].from, to = changes[i].to;
        if (find_text(r, from) != HASH_INDEX_NONE)
            continue;
        struct apf_name_change copy = {{arena_text(arena, from.p, from.n), from.n},
                                       {arena_text(arena, to.p, to.n), to.n}};
        if (!copy.from.p || !copy.to.p)
            return error_memory(error);
        uint32_t e = (uint32_t)r->list.n;
        r->list.data[r->list.n++] = copy;
        hash_index_add(&r->by_text, hash_index_bytes(&r->by_text, from.p, from.n), e);
        hash_index_add(&r->by_hash, hash_index_mix(&r->by_hash, md5_name_ref(from.p, from.n), 0), e);
    }
    return APF_OK;
}

int sample_remaps_map(const struct sample_remaps *r, struct sample_names *names, uint32_t **map,
                      struct apf_error *error)
{
    VEC(uint32_t) list = {NULL, 0, 0};
    size_t n = names->list.n;
    int code = VEC_RESERVE(&list, n + 1) ? APF_OK : error_memory(error);
    for (size_t i = 0; code == APF_OK && i < n; i++) {
        struct sample_name name = names->list.data[i];
        struct apf_str text = {name.p, name.n};
        uint32_t e = name.p ? find_text(r, text) : find_hash(r, name.hash), number = (uint32_t)i;
        if (e != HASH_INDEX_NONE)
            code = sample_names_add(names, r->list.data[e].to, name.file, true, &number, error);
        list.data[list.n++] = number;
    }
    if (code == APF_OK && !VEC_RESERVE(&list, names->list.n + 1 - n))
        code = error_memory(error);
    while (code == APF_OK && list.n < names->list.n) { /* new names change no more */
        list.data[list.n] = (uint32_t)list.n;
        list.n++;
    }
    if (code != APF_OK)
        VEC_FREE(&list);
    *map = list.data;
    return code;
}
