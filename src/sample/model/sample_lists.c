/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "sample/model/sample_lists.h"

#include <string.h>

#include "base/error.h"

#define SMALLEST_BLOCK ((size_t)16)

/* The class of blocks with at least n bytes, and in *size their size: 16, 24, 32, 48, 64, 96, ... */
static unsigned class_of(size_t n, size_t *size)
{
    if (n <= SMALLEST_BLOCK) {
        *size = SMALLEST_BLOCK;
        return 0;
    }
    unsigned power = BIT_WIDTH(n - 1) - 1; /* the largest power of 2 below n */
    size_t below = (size_t)1 << power;
    bool half = n <= below + below / 2;
    *size = half ? below + below / 2 : 2 * below;
    return 2 * (power - 4) + (half ? 1 : 2);
}

/* Addresses of pointers to lists are passed as void pointers: pointers to objects have one representation here. */
static void *load_pointer(const void *at)
{
    void *p;
    memcpy(&p, at, sizeof p);
    return p;
}

int sample_blocks_grow(struct sample_blocks *b, void *data, uint32_t n, uint32_t *room, uint64_t need,
                       size_t size, struct apf_error *error)
{
    size_t bytes;
    void *old = load_pointer(data);
    if (need > UINT32_MAX)
        return error_plain(error, APF_LIMIT, "function", "more than 2^32 entries");
    unsigned class = class_of((size_t)need * size, &bytes);
    void *block = b->free[class];
    if (block)
        b->free[class] = load_pointer(block);
    else
        block = arena_alloc(&b->arena, bytes);
    if (!block)
        return error_memory(error);
    if (n)
        memcpy(block, old, n * size);
    if (*room) {
        size_t freed;
        unsigned back = class_of((size_t)*room * size, &freed);
        memcpy(old, &b->free[back], sizeof old);
        b->free[back] = old;
    }
    memcpy(data, &block, sizeof block);
    *room = (uint32_t)(bytes / size);
    return APF_OK;
}

void sample_blocks_release(struct sample_blocks *b, void *data, uint32_t *n, uint32_t *room, size_t size)
{
    static void *const nothing;
    void *old = load_pointer(data);
    if (*room) {
        size_t bytes;
        unsigned class = class_of((size_t)*room * size, &bytes);
        memcpy(old, &b->free[class], sizeof old);
        b->free[class] = old;
    }
    memcpy(data, &nothing, sizeof nothing);
    *n = *room = 0;
}
