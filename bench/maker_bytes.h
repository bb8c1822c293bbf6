/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Growing arrays of bytes, and numbers in the forms of LLVM's files, for the programs that make such files. */
#ifndef BENCH_MAKER_BYTES_H
#define BENCH_MAKER_BYTES_H

#include "maker.h"

#include <md5.h> /* libmd */

/* The first 8 bytes of the MD5 of size bytes: LLVM's id of a name. */
static inline uint64_t md5_id(const void *p, size_t size)
{
    MD5_CTX ctx;
    uint8_t digest[MD5_DIGEST_LENGTH];
    uint64_t id = 0;
    MD5Init(&ctx);
    MD5Update(&ctx, p, size);
    MD5Final(digest, &ctx);
    for (int i = 7; i >= 0; i--)
        id = id << 8 | digest[i];
    return id;
}

struct bytes {
    uint8_t *p;
    size_t n, capacity;
};

static inline void put_bytes(struct bytes *b, const void *p, size_t n)
{
    if (!b->p || b->n + n > b->capacity) {
        b->capacity = 2 * (b->n + n) + 1;
        b->p = need(realloc(b->p, b->capacity));
    }
    memcpy(b->p + b->n, p, n);
    b->n += n;
}

static inline void write_number(struct bytes *b, uint64_t v, size_t size)
{
    uint8_t le[8];
    for (size_t i = 0; i < 8; i++)
        le[i] = (uint8_t)(v >> 8 * i);
    put_bytes(b, le, size);
}

static inline void pad(struct bytes *b)
{
    while (b->n % 8)
        write_number(b, 0, 1);
}

static inline void write_uleb(struct bytes *b, uint64_t v)
{
    do {
        write_number(b, (v & 0x7f) | (v > 0x7f ? 0x80 : 0), 1);
        v >>= 7;
    } while (v);
}

#endif
