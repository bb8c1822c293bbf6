/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "instr/raw_targets.h"

#include <stdlib.h>

#include "base/error.h"
#include "base/search.h"
#include "base/sort.h"

static uint32_t find(const struct raw_targets *t, uint64_t address)
{
    uint64_t hash = hash_index_mix(&t->index, address, 0);
    size_t pos = hash_index_first(&t->index, hash);
    uint32_t e;
    while ((e = hash_index_next(&t->index, hash, &pos)) != HASH_INDEX_NONE)
        if (t->functions.data[e].address == address)
            return e;
    return HASH_INDEX_NONE;
}

bool raw_targets_reserve(struct raw_targets *t, size_t n)
{
    return hash_index_reserve(&t->index, n) && VEC_RESERVE(&t->functions, n);
}

int raw_targets_add(struct raw_targets *t, uint64_t address, uint64_t id, struct apf_error *error)
{
    if (!hash_index_reserve(&t->index, 1) || !VEC_RESERVE(&t->functions, 1))
        return error_memory(error);
    uint32_t e = find(t, address);
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

static struct raw_range range_of(const struct raw_part *part, uint64_t i)
{
    const uint8_t *p = part->file + part->vtables.at + i * RAW_VTABLE_SIZE(part->pointer_bytes);
    uint64_t start = raw_part_pointer(part, p + 8);
    struct raw_range range = {start, load32(p + 8 + part->pointer_bytes, part->swap), load64(p, part->swap)};
    return range; /* whose end is its size yet */
}

bool raw_targets_wrap(const struct raw_part *part)
{
    uint64_t last = raw_part_last_pointer(part);
    for (uint64_t i = 0; i < part->field[RAW_NUM_VTABLES]; i++) {
        struct raw_range range = range_of(part, i);
        if (range.start > last - range.end)
            return true;
    }
    return false;
}

static bool range_before(const void *context, const void *a, const void *b)
{
    (void)context;
    return ((const struct raw_range *)a)->start < ((const struct raw_range *)b)->start;
}

int raw_targets_vtables(struct raw_targets *t, const struct raw_part *part, struct apf_error *error)
{
    uint64_t n = part->field[RAW_NUM_VTABLES];
    if (!VEC_RESERVE(&t->vtables, n))
        return error_memory(error);
    for (uint64_t i = 0; i < n; i++) {
        struct raw_range range = range_of(part, i);
        if (!range.start || ADD_OVERFLOWS(range.start, range.end, &range.end))
            continue;
        t->vtables.data[t->vtables.n++] = range;
    }
    struct raw_range *scratch = malloc(t->vtables.n * sizeof *scratch + 1);
    if (!scratch)
        return error_memory(error);
    if (t->vtables.n)
        sort_merge(t->vtables.data, scratch, t->vtables.n, sizeof *scratch, range_before, NULL);
    free(scratch);
    return APF_OK;
}

static uint64_t vtable_of(const struct raw_targets *t, uint64_t address)
{
    size_t low; /* the last range that starts at or before the address */
    SEARCH(low, 0, t->vtables.n, t->vtables.data[low].start <= address);
    return low && address < t->vtables.data[low - 1].end ? t->vtables.data[low - 1].id : 0;
}

uint64_t raw_targets_resolve(const struct raw_targets *t, unsigned kind, uint64_t value)
{
    if (kind == APF_VALUE_MEMOP_SIZE)
        return value;
    if (kind == APF_VALUE_VTABLE)
        return vtable_of(t, value);
    uint32_t e = find(t, value);
    return e == HASH_INDEX_NONE ? 0 : t->functions.data[e].id;
}

void raw_targets_free(struct raw_targets *t)
{
    VEC_FREE(&t->functions);
    VEC_FREE(&t->vtables);
    hash_index_free(&t->index);
}
