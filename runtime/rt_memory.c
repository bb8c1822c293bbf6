/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "rt_memory.h"

#include "rt_atomic.h"
#include "rt_values.h"

#include <string.h>
#include <sys/mman.h>

static void *map_pages(size_t size, int how)
{
    void *pages =
        mmap(NULL, size ? size : 1, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | how, -1, 0);
    return pages == MAP_FAILED ? NULL : pages;
}

/* Populating all pages at once is cheaper than a fault for each: they are filled soon. */
void *aprt_pages(size_t size)
{
    return map_pages(size, MAP_POPULATE);
}

void *aprt_room(size_t size)
{
    return map_pages(size, 0);
}

void aprt_pages_free(void *pages, size_t size)
{
    if (pages)
        munmap(pages, size ? size : 1);
}

enum { SMALL = 1024, SMALL_ONES = 4 };

RT_HIDDEN RT_LARGE uint8_t aprt_small_ones[SMALL_ONES][SMALL] __attribute__((aligned(16)));
static uint8_t in_use[SMALL_ONES];

void *aprt_memory(size_t size)
{
    for (size_t i = 0; size <= SMALL && i < SMALL_ONES; i++) {
        if (!__atomic_exchange_n(&in_use[i], 1, __ATOMIC_ACQUIRE))
            return memset(aprt_small_ones[i], 0, size);
    }
    return aprt_pages(size);
}

void aprt_memory_free(void *memory, size_t size)
{
    uintptr_t at = (uintptr_t)memory - (uintptr_t)aprt_small_ones;
    if (memory && at < sizeof aprt_small_ones)
        __atomic_store_n(&in_use[at / SMALL], 0, __ATOMIC_RELEASE);
    else
        aprt_pages_free(memory, size);
}

enum { CHUNK = 65536, ALIGN = 16 };

/* Pieces are cut from its start; a thread that finds the chunk used up replaces it. */
static struct chunk {
    size_t used;
} *current;

void *aprt_memory_permanent(size_t size)
{
    size = (size + ALIGN - 1) & ~(size_t)(ALIGN - 1);
    if (size > CHUNK / 4)
        return aprt_pages(size);
    for (;;) {
        struct chunk *chunk = RT_LOAD_ACQUIRE(&current);
        if (chunk) {
            size_t at = RT_ADD(&chunk->used, size);
            if (at <= CHUNK - size)
                return (uint8_t *)chunk + at;
        }
        struct chunk *fresh = aprt_pages(CHUNK);
        if (!fresh)
            return NULL;
        fresh->used = ALIGN + size;
        if (__atomic_compare_exchange_n(&current, &chunk, fresh, 0, __ATOMIC_RELEASE, __ATOMIC_RELAXED))
            return (uint8_t *)fresh + ALIGN;
        aprt_pages_free(fresh, CHUNK);
    }
}
