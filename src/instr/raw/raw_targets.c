/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "instr/raw/raw_targets.h"

#include "base/error.h"
#include "base/search.h"
#include "base/sort.h"

static uint32_t find_function(const struct raw_targets *t, uint64_t address)
{
    uint32_t e;
    HASH_INDEX_FIND(e, &t->index, hash_index_mix(&t->index, address, 0),
                    t->functions.data[e].address == address);
    return e;
}

int raw_targets_reserve(struct raw_targets *t, size_t n, struct apf_error *error)
{
    if (hash_index_reserve(&t->index, n) && VEC_RESERVE(&t->functions, n))
        return APF_OK;
    return hash_index_error(&t->index, error);
}

int raw_targets_add(struct raw_targets *t, uint64_t address, uint64_t id, struct apf_error *error)
{
    int code = raw_targets_reserve(t, 1, error);
    if (code != APF_OK)
        return code;
    uint32_t e = find_function(t, address);
    if (e != HASH_INDEX_NONE) {
        if (id < t->functions.data[e].id)
            t->functions.data[e].id = id;
        return APF_OK;
    }
    struct raw_address function = {address, id};
    hash_index_add(&t->index, hash_index_mix(&t->index, address, 0), (uint32_t)t->functions.n);
    t->functions.data[t->functions.n++] = function;
    return APF_OK;
}

bool raw_targets_wrap(const struct raw_profile *raw)
{
    uint64_t last = raw_profile_last_pointer(raw);
    for (uint64_t i = 0; i < raw->field[RAW_NUM_VTABLES]; i++) {
        struct raw_vtable v = raw_profile_vtable(raw, i);
        if (v.start > last - v.size)
            return true;
    }
    return false;
}

static bool range_before(const void *context, const void *a, const void *b)
{
    (void)context;
    return ((const struct raw_range *)a)->start < ((const struct raw_range *)b)->start;
}

int raw_targets_vtables(struct raw_targets *t, const struct raw_profile *raw, struct apf_error *error)
{
    uint64_t n = raw->field[RAW_NUM_VTABLES];
    if (!VEC_RESERVE(&t->vtables, n))
        return error_memory(error);
    for (uint64_t i = 0; i < n; i++) {
        struct raw_vtable v = raw_profile_vtable(raw, i);
        struct raw_range range = {v.start, 0, v.id};
        if (v.start && !ADD_OVERFLOWS(v.start, v.size, &range.end))
            t->vtables.data[t->vtables.n++] = range;
    }
    return SORT_VEC(&t->vtables, range_before, NULL) ? APF_OK : error_memory(error);
}

static uint64_t find_vtable(const struct raw_targets *t, uint64_t address)
{
    const struct raw_range *ranges = t->vtables.data;
    size_t next; /* the first range that starts after the address */
    SEARCH(next, 0, t->vtables.n, ranges[next].start <= address);
    return next && address < ranges[next - 1].end ? ranges[next - 1].id : 0;
}

uint64_t raw_targets_resolve(const struct raw_targets *t, unsigned kind, uint64_t value)
{
    if (kind == APF_VALUE_MEMOP_SIZE)
        return value;
    if (kind == APF_VALUE_VTABLE)
        return find_vtable(t, value);
    uint32_t e = find_function(t, value);
    return e == HASH_INDEX_NONE ? 0 : t->functions.data[e].id;
}

void raw_targets_free(struct raw_targets *t)
{
    VEC_FREE(&t->functions);
    VEC_FREE(&t->vtables);
    hash_index_free(&t->index);
}
