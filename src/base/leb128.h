/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Writing LEB128; reading is cursor_uleb128. */
#ifndef BASE_LEB128_H
#define BASE_LEB128_H

#include <stddef.h>
#include <stdint.h>

#define ULEB128_MAX 10

/* Stores v in at most ULEB128_MAX bytes and returns how many. */
static inline size_t uleb128_put(uint8_t *out, uint64_t v)
{
    size_t n = 0;
    do {
        uint8_t byte = v & 0x7f;
        v >>= 7;
        out[n++] = (uint8_t)(byte | (v ? 0x80 : 0));
    } while (v);
    return n;
}

#endif
