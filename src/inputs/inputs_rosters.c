/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "inputs/inputs_rosters.h"

#include <string.h>

#include "base/endian.h"
#include "base/error.h"

static uint64_t hash_of(const struct rosters *r, const struct file_digest *id)
{
    return hash_index_mix(&r->index, id->low, id->high);
}

uint32_t rosters_find(const struct rosters *r, const struct file_digest *id)
{
    uint32_t e;
    if (!r->index.n)
        return ROSTER_NONE;
    HASH_INDEX_FIND(e, &r->index, hash_of(r, id), file_digest_same(&r->list.data[e].id, id));
    return e == HASH_INDEX_NONE ? ROSTER_NONE : e;
}

/* The id of a roster, which is the same on machines of either byte order. False: an allocation failed. */
static bool make_id(const uint64_t *digests, size_t n, struct arena *arena, struct file_digest *id)
{
    const struct arena_mark mark = arena_mark(arena);
    const void *bytes = digests;
    if (HOST_BIG_ENDIAN) {
        uint8_t *copy = arena_array(arena, n, 8);
        if (!copy)
            return false;
        for (size_t i = 0; i < n; i++)
            store64le(copy + 8 * i, digests[i]);
        bytes = copy;
    }
    *id = file_digest_bytes(bytes, 8 * (uint64_t)n);
    arena_rewind(arena, mark);
    return true;
}

int rosters_add(struct rosters *r, const uint64_t *digests, size_t n, uint32_t *number,
                struct apf_error *error)
{
    struct roster roster = {.digests = digests, .n = n};
    *number = ROSTER_NONE;
    if (!make_id(digests, n, &r->arena, &roster.id))
        return error_memory(error);
    *number = rosters_find(r, &roster.id);
    if (*number != ROSTER_NONE || n > ROSTERS_MOST_BYTES / 8 || r->arena.used > ROSTERS_MOST_BYTES - 8 * n)
        return APF_OK;
    uint64_t *copy = arena_array(&r->arena, n, sizeof *copy);
    if (!copy || !hash_index_reserve(&r->index, 1) || !VEC_RESERVE(&r->list, 1))
        return error_memory(error);
    if (n)
        memcpy(copy, digests, n * sizeof *copy);
    roster.digests = copy;
    *number = (uint32_t)r->list.n;
    hash_index_add(&r->index, hash_of(r, &roster.id), *number);
    r->list.data[r->list.n++] = roster;
    return APF_OK;
}

void rosters_free(struct rosters *r)
{
    VEC_FREE(&r->list);
    hash_index_free(&r->index);
    arena_free(&r->arena);
}
