/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Loads and stores at any address, in either byte order. */
#ifndef BASE_ENDIAN_H
#define BASE_ENDIAN_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "base/compiler.h"

static inline uint16_t swap16(uint16_t v)
{
    return __builtin_bswap16(v);
}

static inline uint32_t swap32(uint32_t v)
{
    return __builtin_bswap32(v);
}

static inline uint64_t swap64(uint64_t v)
{
    return __builtin_bswap64(v);
}

/* `swap`: the bytes are in the order that is not the host's. */
static inline uint16_t load16(const void *p, bool swap)
{
    uint16_t v;
    memcpy(&v, p, sizeof v);
    return swap ? swap16(v) : v;
}

static inline uint32_t load32(const void *p, bool swap)
{
    uint32_t v;
    memcpy(&v, p, sizeof v);
    return swap ? swap32(v) : v;
}

static inline uint64_t load64(const void *p, bool swap)
{
    uint64_t v;
    memcpy(&v, p, sizeof v);
    return swap ? swap64(v) : v;
}

static inline uint64_t load64le(const void *p)
{
    return load64(p, HOST_BIG_ENDIAN);
}

static inline uint32_t load32le(const void *p)
{
    return load32(p, HOST_BIG_ENDIAN);
}

static inline uint16_t load16le(const void *p)
{
    return load16(p, HOST_BIG_ENDIAN);
}

static inline void store32le(void *p, uint32_t v)
{
    if (HOST_BIG_ENDIAN)
        v = swap32(v);
    memcpy(p, &v, sizeof v);
}

static inline void store32(void *p, uint32_t v, bool swap)
{
    v = swap ? swap32(v) : v;
    memcpy(p, &v, sizeof v);
}

static inline void store64(void *p, uint64_t v, bool swap)
{
    v = swap ? swap64(v) : v;
    memcpy(p, &v, sizeof v);
}

static inline void store64le(void *p, uint64_t v)
{
    if (HOST_BIG_ENDIAN)
        v = swap64(v);
    memcpy(p, &v, sizeof v);
}

/* align8: n rounded up to a multiple of 8; pad8: how much that adds. n + 7 must not wrap. */
static inline uint64_t align8(uint64_t n)
{
    return (n + 7) & ~(uint64_t)7;
}

static inline uint64_t pad8(uint64_t n)
{
    return align8(n) - n;
}

/* Whether n bytes are all 0. */
static inline bool bytes_zero(const uint8_t *p, uint64_t n)
{
    for (uint64_t i = 0; i < n; i++)
        if (p[i])
            return false;
    return true;
}

#endif
