/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "base/arena.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/large.h"

struct arena_chunk {
    struct arena_chunk *next;
    size_t size; /* of the whole allocation */
};

#define HEADER_SIZE ((sizeof(struct arena_chunk) + 15) & ~(size_t)15)
#define FIRST_CHUNK ((size_t)1024)
#define LAST_CHUNK ((size_t)8 << 20)

static uint8_t *add_chunk(struct arena *a, size_t payload)
{
    size_t size;
    if (ADD_OVERFLOWS(payload, HEADER_SIZE, &size))
        return NULL;
    struct arena_chunk *c = malloc(size);
    if (!c)
        return NULL;
    large_block(c, size);
    c->next = a->chunks;
    c->size = size;
    a->chunks = c;
    a->total += size;
    return (uint8_t *)c + HEADER_SIZE;
}

static void *take(struct arena *a, size_t n, size_t align)
{
    if (n == 0)
        n = 1;
    size_t gap = a->p ? (size_t)(-(uintptr_t)a->p & (align - 1)) : 0;
    if (a->p && gap <= (size_t)(a->end - a->p) && n <= (size_t)(a->end - a->p) - gap) {
        void *out = a->p + gap;
        a->p += gap + n;
        return out;
    }
    if (!a->next_size)
        a->next_size = FIRST_CHUNK;
    bool alone = n >= a->next_size / 4; /* large ones stand alone; the open chunk goes on */
    size_t size = alone ? n : a->next_size;
    uint8_t *p = add_chunk(a, size);
    if (!p)
        return NULL;
    if (!alone) {
        a->p = p + n;
        a->end = p + size;
    }
    if (a->next_size < LAST_CHUNK) /* also when it stands alone: there may be many of that size */
        a->next_size *= 2;
    return p;
}

void *arena_alloc(struct arena *a, size_t n)
{
    return take(a, n, 16);
}

void *arena_bytes(struct arena *a, size_t n)
{
    return take(a, n, 1);
}

void *arena_array(struct arena *a, size_t count, size_t size)
{
    size_t n;
    if (MUL_OVERFLOWS(count, size, &n))
        return NULL;
    return arena_alloc(a, n);
}

void *arena_zeros(struct arena *a, size_t count, size_t size)
{
    void *p = arena_array(a, count, size);
    if (p && count && size)
        memset(p, 0, count * size);
    return p;
}

char *arena_text(struct arena *a, const void *p, size_t n)
{
    size_t with_end;
    if (ADD_OVERFLOWS(n, (size_t)1, &with_end))
        return NULL;
    char *out = arena_bytes(a, with_end);
    if (!out)
        return NULL;
    if (n)
        memcpy(out, p, n);
    out[n] = '\0';
    return out;
}

/* Frees the chunk that was open at the mark if nothing is in it: there is a larger one now. */
static void free_if_empty(struct arena *a, struct arena_mark mark)
{
    for (struct arena_chunk **c = &a->chunks; *c; c = &(*c)->next) {
        struct arena_chunk *chunk = *c;
        if ((uint8_t *)chunk + HEADER_SIZE != mark.p || (uint8_t *)chunk + chunk->size != mark.end)
            continue;
        *c = chunk->next;
        a->total -= chunk->size;
        free(chunk);
        return;
    }
}

void arena_rewind(struct arena *a, struct arena_mark mark)
{
    struct arena_chunk *open = NULL;
    for (struct arena_chunk *c = a->chunks, *next; c != mark.chunks; c = next) {
        next = c->next;
        if ((uint8_t *)c + c->size == a->end) { /* there was no room in the one before it */
            open = c;
            continue;
        }
        a->total -= c->size;
        free(c);
    }
    a->chunks = mark.chunks;
    a->p = mark.p;
    a->end = mark.end;
    if (!open)
        return;
    free_if_empty(a, mark);
    open->next = a->chunks;
    a->chunks = open;
    a->p = (uint8_t *)open + HEADER_SIZE;
    a->end = (uint8_t *)open + open->size;
}

void arena_splice(struct arena *to, struct arena *from)
{
    struct arena_chunk **last = &from->chunks;
    while (*last)
        last = &(*last)->next;
    *last = to->chunks;
    to->chunks = from->chunks;
    to->total += from->total;
    memset(from, 0, sizeof *from);
}

void arena_free(struct arena *a)
{
    struct arena_chunk *c = a->chunks;
    while (c) {
        struct arena_chunk *next = c->next;
        free(c);
        c = next;
    }
    memset(a, 0, sizeof *a);
}
