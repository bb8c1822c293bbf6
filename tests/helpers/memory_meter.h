/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* How much memory is in use, for one program with these link options; the line is to be repeated in its own file:
 * anyprof-link-options: -Wl,--wrap=malloc,--wrap=calloc,--wrap=realloc,--wrap=free */
#ifndef HELPERS_MEMORY_METER_H
#define HELPERS_MEMORY_METER_H

#include <malloc.h>
#include <stddef.h>

static size_t memory_now, memory_most;

void *__real_malloc(size_t n);
void *__real_calloc(size_t n, size_t size);
void *__real_realloc(void *p, size_t n);
void __real_free(void *p);
void *__wrap_malloc(size_t n);
void *__wrap_calloc(size_t n, size_t size);
void *__wrap_realloc(void *p, size_t n);
void __wrap_free(void *p);

static void *note_memory(void *p)
{
    memory_now += p ? malloc_usable_size(p) : 0;
    if (memory_most < memory_now)
        memory_most = memory_now;
    return p;
}

void *__wrap_malloc(size_t n)
{
    return note_memory(__real_malloc(n));
}

void *__wrap_calloc(size_t n, size_t size)
{
    return note_memory(__real_calloc(n, size));
}

void *__wrap_realloc(void *p, size_t n)
{
    size_t old = p ? malloc_usable_size(p) : 0;
    void *q = __real_realloc(p, n);
    if (q || n == 0)
        memory_now -= old;
    return note_memory(q);
}

void __wrap_free(void *p)
{
    memory_now -= p ? malloc_usable_size(p) : 0;
    __real_free(p);
}

#endif
