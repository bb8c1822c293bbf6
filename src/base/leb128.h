/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Writing LEB128; reading is cursor_uleb128 and cursor_sleb128. */
#ifndef BASE_LEB128_H
#define BASE_LEB128_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ULEB128_MAX 10
#define SLEB128_MAX 10

/* Stores v in at most ULEB128_MAX bytes and returns how many. */
static inline size_t uleb128_store(uint8_t *out, uint64_t v)
{
    size_t n = 0;
    do {
        uint8_t byte = v & 0x7f;
        v >>= 7;
        out[n++] = (uint8_t)(byte | (v ? 0x80 : 0));
    } while (v);
    return n;
}

/* As uleb128_store, for signed numbers. */
static inline size_t sleb128_store(uint8_t *out, int64_t v)
{
    size_t n = 0;
    uint64_t rest = (uint64_t)v, sign = v < 0 ? UINT64_MAX : 0;
    for (;;) {
        uint8_t byte = rest & 0x7f;
        rest = rest >> 7 | (sign ? UINT64_MAX << 57 : 0);
        bool last = rest == sign && (byte >> 6 & 1) == (uint8_t)(sign & 1);
        out[n++] = (uint8_t)(byte | (last ? 0 : 0x80));
        if (last)
            return n;
    }
}

#endif
