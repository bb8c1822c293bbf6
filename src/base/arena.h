/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Memory that is freed all at once. An arena belongs to one handle, or to one part of a handle. */
#ifndef BASE_ARENA_H
#define BASE_ARENA_H

#include <stddef.h>
#include <stdint.h>

#include "base/compiler.h"

struct arena_chunk;

struct arena {
    struct arena_chunk *chunks; /* newest first */
    uint8_t *p, *end;           /* free part of the newest ordinary chunk */
    size_t next_size;           /* size of the next ordinary chunk */
    size_t used;                /* bytes handed out, gaps included: for reports and tests */
};

/* An all-zero struct arena is empty and usable. */

/* n bytes, 16-aligned, not cleared; NULL when memory is out. n == 0 gives a unique pointer. */
void *arena_alloc(struct arena *a, size_t n) MUST_USE;
/* count * size bytes, checked; NULL also when the product wraps. */
void *arena_array(struct arena *a, size_t count, size_t size) MUST_USE;
/* arena_array, cleared. */
void *arena_zeros(struct arena *a, size_t count, size_t size) MUST_USE;
/* A copy of n bytes with a 0 after it. */
char *arena_text(struct arena *a, const void *p, size_t n) MUST_USE;
/* arena_alloc without alignment, for strings. */
void *arena_bytes(struct arena *a, size_t n) MUST_USE;
/* A state of an arena, valid for one arena_rewind. All zero: an empty arena, valid for any number of them. */
struct arena_mark {
    struct arena_chunk *chunks;
    uint8_t *p, *end;
    size_t used;
};
static inline struct arena_mark arena_mark(const struct arena *a)
{
    struct arena_mark mark = {a->chunks, a->p, a->end, a->used};
    return mark;
}
/* Frees everything allocated since the mark; chunks mostly stay for reuse. The arena must not have been spliced
 * since. */
void arena_rewind(struct arena *a, struct arena_mark mark);
/* Makes a block of n bytes from malloc part of the arena, which frees it; the block's contents are lost. */
void arena_adopt(struct arena *a, void *block, size_t n);
/* Moves all memory of `from` to `to`: addresses stay valid, and `to` frees it. Later allocations use the larger of the
 * two free parts. */
void arena_splice(struct arena *to, struct arena *from);
void arena_free(struct arena *a);

#endif
