/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A heap of numbers of things, the first of which comes before all others: the order in which sorted streams go on. */
#ifndef BASE_HEAP_H
#define BASE_HEAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Whether thing x comes before thing y. */
typedef bool heap_before(const void *context, uint32_t x, uint32_t y);

static inline void heap_swap(uint32_t *heap, size_t i, size_t k)
{
    const uint32_t moved = heap[i];
    heap[i] = heap[k];
    heap[k] = moved;
}

/* Adds a thing to a heap of *n, which has room for it. */
static inline void heap_push(uint32_t *heap, size_t *n, uint32_t thing, heap_before *before,
                             const void *context)
{
    size_t at = (*n)++;
    heap[at] = thing;
    for (; at && before(context, heap[at], heap[(at - 1) / 2]); at = (at - 1) / 2)
        heap_swap(heap, at, (at - 1) / 2);
}

/* Removes and returns the first thing of a heap of *n, not 0. */
static inline uint32_t heap_pop(uint32_t *heap, size_t *n, heap_before *before, const void *context)
{
    const uint32_t first = heap[0];
    heap[0] = heap[--*n];
    for (size_t at = 0, child = 1; child < *n; child = 2 * at + 1) {
        child += child + 1 < *n && before(context, heap[child + 1], heap[child]);
        if (!before(context, heap[child], heap[at]))
            break;
        heap_swap(heap, at, child);
        at = child;
    }
    return first;
}

#endif
