/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A bounds-checked reader of bytes with a sticky error.
 *
 * After the first read that does not fit, every read returns 0 (or NULL) and the cursor stays where that read
 * began; callers test `failed` at structure boundaries. No pointer wider than a byte into the data is made. */
#ifndef BASE_CURSOR_H
#define BASE_CURSOR_H

#include <stdbool.h>
#include <stddef.h>

#include "base/endian.h"

struct cursor {
    const uint8_t *base; /* the first byte of the data */
    uint64_t origin;     /* offset of `base` in the file */
    const uint8_t *p;
    const uint8_t *end;
    bool swap;   /* the data is in the other byte order */
    bool failed; /* a read did not fit */
};

static inline struct cursor cursor_make(const void *data, size_t n, bool swap)
{
    const uint8_t *p =
        (const uint8_t *)(data ? data : ""); /* arithmetic on NULL is undefined, even with 0 bytes */
    struct cursor c = {p, 0, p, data ? p + n : p, swap, false};
    return c;
}

/* A cursor over n bytes that were read from offset `origin` of a file. */
static inline struct cursor cursor_make_at(const void *data, size_t n, uint64_t origin, bool swap)
{
    struct cursor c = cursor_make(data, n, swap);
    c.origin = origin;
    return c;
}

static inline size_t cursor_left(const struct cursor *c)
{
    return (size_t)((uintptr_t)c->end - (uintptr_t)c->p);
}

static inline uint64_t cursor_offset(const struct cursor *c)
{
    return c->origin + (uint64_t)((uintptr_t)c->p - (uintptr_t)c->base);
}

/* The next n bytes, or NULL. n == 0 gives a pointer that must not be read. */
static inline const uint8_t *cursor_bytes(struct cursor *c, uint64_t n)
{
    if (UNLIKELY(c->failed || n > cursor_left(c))) {
        c->failed = true;
        return NULL;
    }
    const uint8_t *p = c->p;
    c->p += n;
    return p;
}

static inline void cursor_skip(struct cursor *c, uint64_t n)
{
    (void)cursor_bytes(c, n);
}

static inline uint8_t cursor_u8(struct cursor *c)
{
    const uint8_t *p = cursor_bytes(c, 1);
    return p ? *p : 0;
}

static inline uint16_t cursor_u16(struct cursor *c)
{
    const uint8_t *p = cursor_bytes(c, 2);
    return p ? load16(p, c->swap) : 0;
}

static inline uint32_t cursor_u32(struct cursor *c)
{
    const uint8_t *p = cursor_bytes(c, 4);
    return p ? load32(p, c->swap) : 0;
}

static inline uint64_t cursor_u64(struct cursor *c)
{
    const uint8_t *p = cursor_bytes(c, 8);
    return p ? load64(p, c->swap) : 0;
}

/* An array of `count` entries of `size` bytes: one check, no multiplication that could wrap. */
static inline const uint8_t *cursor_array(struct cursor *c, uint64_t count, size_t size)
{
    if (UNLIKELY(c->failed || count > cursor_left(c) / size)) {
        c->failed = true;
        return NULL;
    }
    return cursor_bytes(c, count * size);
}

/* A cursor over the next n bytes, which `c` skips. On failure both cursors have failed. */
static inline struct cursor cursor_sub(struct cursor *c, uint64_t n)
{
    struct cursor sub = *c;
    const uint8_t *p = cursor_bytes(c, n);
    if (p)
        sub.end = p + n;
    sub.failed = c->failed;
    return sub;
}

uint64_t cursor_uleb128_long(struct cursor *c);
/* An unsigned LEB128 number of at most 64 bits; padding bytes are accepted. Fails on more bits. */
static inline uint64_t cursor_uleb128(struct cursor *c)
{
    const bool one_byte = c->p < c->end && *c->p < 0x80 && !c->failed;
    return LIKELY(one_byte) ? *c->p++ : cursor_uleb128_long(c);
}
/* A signed LEB128 number of at most 64 bits; padding bytes are accepted. */
int64_t cursor_sleb128(struct cursor *c);

#endif
