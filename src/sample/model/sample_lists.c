/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "sample/model/sample_lists.h"

#include <string.h>

#include "base/error.h"

#define SMALLEST_BLOCK ((size_t)16)
/* All blocks have a multiple of these bytes, so that they are aligned to as many in an arena of their own. */
#define BLOCK_UNIT ((size_t)8)

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

/* Keeps a block of at least n bytes for reuse, in the largest class that it is large enough for. */
static void keep_block(struct sample_blocks *b, void *block, size_t n)
{
    size_t size;
    unsigned class = class_of(n, &size);
    if (n < SMALLEST_BLOCK)
        return;
    class -= size > n;
    memcpy(block, &b->free[class], sizeof block);
    b->free[class] = block;
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
    if (block) {
        b->free[class] = load_pointer(block);
    } else {
        if (!*room) /* most lists never grow: the first block has only the room that is asked for */
            bytes = ((size_t)need * size + BLOCK_UNIT - 1) & ~(BLOCK_UNIT - 1);
        block = arena_bytes(&b->arena, bytes);
    }
    if (!block)
        return error_memory(error);
    if (n)
        memcpy(block, old, n * size);
    if (*room)
        keep_block(b, old, (size_t)*room * size);
    memcpy(data, &block, sizeof block);
    *room = (uint32_t)(bytes / size);
    return APF_OK;
}

void sample_blocks_release(struct sample_blocks *b, void *data, uint32_t *n, uint32_t *room, size_t size)
{
    static void *const nothing;
    if (*room)
        keep_block(b, load_pointer(data), (size_t)*room * size);
    memcpy(data, &nothing, sizeof nothing);
    *n = *room = 0;
}
