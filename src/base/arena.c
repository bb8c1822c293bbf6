/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "base/arena.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/large.h"

struct arena_chunk {
    struct arena_chunk *next;
    uint8_t *p; /* the usable part of the allocation */
    size_t n;
};

#define HEADER_SIZE ((sizeof(struct arena_chunk) + 15) & ~(size_t)15)
#define FIRST_CHUNK ((size_t)1024)
#define MOST_SMALL_CHUNK ((size_t)1 << 20)
/* An arena that fills a large page continues with chunks of large pages. Most of their pages are never touched, and a
 * page costs time only when it is first touched; small pages together cost much more. */
#define LARGE_CHUNK ((size_t)16 << 20)

static struct arena_chunk *add_chunk(struct arena *a, size_t n)
{
    size_t aside = n < LARGE_CHUNK / 2 ? 0 : LARGE_PAGE; /* room to align the chunk to a large page */
    size_t size;
    if (ADD_OVERFLOWS(n, HEADER_SIZE + aside, &size))
        return NULL;
    struct arena_chunk *c = malloc(size);
    if (!c)
        return NULL;
    c->next = a->chunks;
    c->p = (uint8_t *)c + HEADER_SIZE;
    if (aside)
        c->p = large_align(c->p);
    c->n = n;
    large_block(c->p, n);
    a->chunks = c;
    return c;
}

static void *allocate(struct arena *a, size_t n, size_t align)
{
    if (n == 0)
        n = 1;
    size_t gap = a->p ? (size_t)(-(uintptr_t)a->p & (align - 1)) : 0;
    if (a->p && gap <= (size_t)(a->end - a->p) && n <= (size_t)(a->end - a->p) - gap) {
        void *out = a->p + gap;
        a->p += gap + n;
        a->used += gap + n;
        return out;
    }
    if (!a->next_size)
        a->next_size = FIRST_CHUNK;
    if (n >= LARGE_PAGE || a->used + n >= LARGE_PAGE)
        a->next_size = LARGE_CHUNK;
    /* A large allocation gets a chunk of its own, and the open chunk stays open. The unused rest of a large chunk was
     * never touched. */
    bool alone = n >= a->next_size / (a->next_size == LARGE_CHUNK ? 2 : 4);
    struct arena_chunk *c = add_chunk(a, alone ? n : a->next_size);
    if (!c)
        return NULL;
    if (!alone) {
        a->p = c->p + n;
        a->end = c->p + c->n;
    }
    a->used += n;
    if (a->next_size < MOST_SMALL_CHUNK) /* also after a chunk of its own: many allocations may be as large */
        a->next_size *= 4;
    return c->p;
}

void *arena_alloc(struct arena *a, size_t n)
{
    return allocate(a, n, 16);
}

void *arena_bytes(struct arena *a, size_t n)
{
    return allocate(a, n, 1);
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

/* Continues with the free part p..end if it is larger than the arena's own. */
static void open_larger(struct arena *a, uint8_t *p, uint8_t *end)
{
    if (end - p <= a->end - a->p)
        return;
    a->p = p;
    a->end = end;
}

void arena_adopt(struct arena *a, void *block, size_t n)
{
    struct arena_chunk *c = (struct arena_chunk *)block;
    if (n < HEADER_SIZE + FIRST_CHUNK) {
        free(block);
        return;
    }
    c->next = a->chunks;
    c->p = (uint8_t *)block + HEADER_SIZE;
    c->n = n - HEADER_SIZE;
    a->chunks = c;
    open_larger(a, c->p, c->p + c->n);
}

/* Frees the chunk that was open at the mark if it is empty: a larger chunk is open now. */
static void free_if_empty(struct arena *a, struct arena_mark mark)
{
    for (struct arena_chunk **c = &a->chunks; *c; c = &(*c)->next) {
        struct arena_chunk *chunk = *c;
        if (chunk->p != mark.p || chunk->p + chunk->n != mark.end)
            continue;
        *c = chunk->next;
        free(chunk);
        return;
    }
}

void arena_rewind(struct arena *a, struct arena_mark mark)
{
    struct arena_chunk *open = NULL;
    for (struct arena_chunk *c = a->chunks, *next; c != mark.chunks; c = next) {
        next = c->next;
        if (c->p + c->n == a->end) { /* the chunk before it had no room */
            open = c;
            continue;
        }
        free(c);
    }
    a->chunks = mark.chunks;
    a->p = mark.p;
    a->end = mark.end;
    a->used = mark.used;
    if (!open)
        return;
    free_if_empty(a, mark);
    open->next = a->chunks;
    a->chunks = open;
    a->p = open->p;
    a->end = open->p + open->n;
}

void arena_splice(struct arena *to, struct arena *from)
{
    struct arena_chunk **last = &from->chunks;
    while (*last)
        last = &(*last)->next;
    *last = to->chunks;
    to->chunks = from->chunks;
    to->used += from->used;
    open_larger(to, from->p, from->end);
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
