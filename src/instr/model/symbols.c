/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "instr/model/symbols.h"

#include <string.h>

#include "base/error.h"
#include "base/md5.h"

uint32_t symbols_find(const struct symbols *s, uint64_t id)
{
    uint32_t e;
    HASH_INDEX_FIND(e, &s->index, hash_index_mix(&s->index, id, 0), s->list.data[e].id == id);
    return e;
}

struct apf_str symbols_name(const struct symbols *s, uint64_t id)
{
    uint32_t e = symbols_find(s, id);
    struct apf_str name = {NULL, 0};
    if (e != HASH_INDEX_NONE) {
        name.p = s->list.data[e].p;
        name.n = s->list.data[e].n;
    }
    return name;
}

/* Two names with one id are an error. */
static int check_same(const struct symbol *have, const char *name, size_t n, struct apf_error *error)
{
    if (have->n == n && memcmp(have->p, name, n) == 0)
        return APF_OK;
    return error_plain(error, APF_MALFORMED, "names", "two names with one id: %.*s and %.*s",
                       (int)(have->n < 60 ? have->n : 60), have->p, (int)(n < 60 ? n : 60), name);
}

int symbols_add_id(struct symbols *s, uint64_t id, const char *name, size_t n, bool copy, uint32_t *entry,
                   struct apf_error *error)
{
    uint32_t e = symbols_find(s, id);
    if (e != HASH_INDEX_NONE) {
        if (entry)
            *entry = e;
        return check_same(&s->list.data[e], name, n, error);
    }
    if (n > UINT32_MAX)
        return error_plain(error, APF_TOO_LARGE, "names", "a name is longer than 4 GiB");
    if (!hash_index_reserve(&s->index, 1) || !VEC_RESERVE(&s->list, 1))
        return hash_index_error(&s->index, error);
    const char *text = copy ? arena_text(&s->text, name, n) : name;
    if (!text)
        return error_memory(error);
    struct symbol symbol = {id, text, (uint32_t)n, 0};
    e = (uint32_t)s->list.n;
    s->list.data[s->list.n++] = symbol;
    s->n_indexed = s->list.n;
    hash_index_add(&s->index, hash_index_mix(&s->index, id, 0), e);
    if (entry)
        *entry = e;
    return APF_OK;
}

int symbols_push(struct symbols *s, uint64_t id, const char *name, size_t n, uint32_t *entry,
                 struct apf_error *error)
{
    if (n > UINT32_MAX)
        return error_plain(error, APF_TOO_LARGE, "names", "a name is longer than 4 GiB");
    if (s->list.n >= HASH_INDEX_NONE)
        return error_plain(error, APF_LIMIT, "names", "more than 2^32 names");
    struct symbol symbol = {id, arena_text(&s->text, name, n), (uint32_t)n, 0};
    *entry = (uint32_t)s->list.n;
    return symbol.p && VEC_PUSH(&s->list, symbol) ? APF_OK : error_memory(error);
}

int symbols_index(struct symbols *s, struct apf_error *error)
{
    size_t n = s->list.n;
    if (s->n_indexed < n && !hash_index_reserve(&s->index, n - s->n_indexed))
        return hash_index_error(&s->index, error);
    for (size_t i = s->n_indexed; i < n; i++, s->n_indexed++) {
        const struct symbol *new = &s->list.data[i];
        if (i + FETCH_AHEAD < n)
            hash_index_fetch(&s->index, hash_index_mix(&s->index, new[FETCH_AHEAD].id, 0));
        uint32_t e = symbols_find(s, new->id);
        int code = e == HASH_INDEX_NONE ? APF_OK : check_same(&s->list.data[e], new->p, new->n, error);
        if (code != APF_OK)
            return code;
        if (e == HASH_INDEX_NONE)
            hash_index_add(&s->index, hash_index_mix(&s->index, new->id, 0), (uint32_t)i);
    }
    return APF_OK;
}

int symbols_add(struct symbols *s, const char *name, size_t n, bool copy, uint64_t *id, uint32_t *entry,
                struct apf_error *error)
{
    uint64_t made = md5_name_ref(name, n);
    if (id)
        *id = made;
    return symbols_add_id(s, made, name, n, copy, entry, error);
}

void symbols_clues(const struct symbols *s, struct release_clues *clues)
{
    for (size_t i = 0; i < s->list.n && !clues->semicolons; i++)
        release_clues_name(clues, s->list.data[i].p, s->list.data[i].n);
}

void symbols_free(struct symbols *s)
{
    VEC_FREE(&s->list);
    hash_index_free(&s->index);
    arena_free(&s->text);
}
