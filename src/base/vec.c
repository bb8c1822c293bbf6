/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "base/vec.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/large.h"

/* From here on glibc's realloc moves pages instead of copying bytes. */
#define MOVED_BYTES ((size_t)32 << 20)

/* Moves a block of `used` bytes to one of `size` bytes; NULL: allocation failed, and the old block stays. A copy that
 * realloc makes touches each small page of a large block: in a merge of different profiles three of four page faults
 * were such copies. */
static void *move_block(void *old, size_t used, size_t size)
{
    bool by_hand = size >= 2 * LARGE_PAGE && used < MOVED_BYTES;
    void *block = by_hand ? malloc(size) : realloc(old, size);
    if (!block)
        return NULL;
    large_block(block, size);
    if (by_hand) {
        if (used)
            memcpy(block, old, used);
        free(old);
    }
    return block;
}

bool vec_grow(void *field, size_t *capacity, size_t n, size_t more, size_t size)
{
    size_t need;
    if (ADD_OVERFLOWS(n, more, &need) || need > VEC_MAX_BYTES / size)
        return false;
    size_t cap = *capacity + *capacity / 2;
    if (cap < 8)
        cap = 8;
    if (cap < need)
        cap = need;
    if (cap > VEC_MAX_BYTES / size)
        cap = VEC_MAX_BYTES / size;
    void *data; /* pointers to objects of all types have one representation here */
    memcpy(&data, field, sizeof data);
    void *grown = move_block(data, n * size, cap * size);
    if (!grown)
        return false;
    memcpy(field, &grown, sizeof grown);
    *capacity = cap;
    return true;
}

void vec_trim(void *field, size_t *capacity, size_t n, size_t size)
{
    void *data, *less;
    memcpy(&data, field, sizeof data);
    if (n == 0 || n == *capacity)
        return;
    less = realloc(data, n * size);
    if (!less) /* the larger block stays */
        return;
    memcpy(field, &less, sizeof less);
    *capacity = n;
}
