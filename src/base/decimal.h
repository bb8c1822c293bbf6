/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Numbers as text: digits only, no terminator, no locale. Inline, because some outputs are little else. */
#ifndef BASE_DECIMAL_H
#define BASE_DECIMAL_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/compiler.h"

#define DECIMAL_MAX ((size_t)20)
#define HEX_MAX ((size_t)16)

/* How many decimal digits: from the number of bits, which is 0.3 of them, one too few if anything. */
static inline unsigned decimal_digits(uint64_t v)
{
    static const uint64_t powers[DECIMAL_MAX] = {0,
                                                 10,
                                                 100,
                                                 1000,
                                                 10000,
                                                 100000,
                                                 1000000,
                                                 10000000,
                                                 100000000,
                                                 1000000000,
                                                 10000000000,
                                                 100000000000,
                                                 1000000000000,
                                                 10000000000000,
                                                 100000000000000,
                                                 1000000000000000,
                                                 10000000000000000,
                                                 100000000000000000,
                                                 1000000000000000000,
                                                 10000000000000000000u};
    unsigned n = BIT_WIDTH(v | 1) * 1233 >> 12;
    return n + (v >= powers[n]);
}

/* Stores the digits, at most DECIMAL_MAX, from the last one to the first, and returns how many. */
static inline unsigned decimal_put(uint8_t *out, uint64_t v)
{
    static const char pairs[201] =
        "00010203040506070809101112131415161718192021222324252627282930313233343536373839"
        "40414243444546474849505152535455565758596061626364656667686970717273747576777879"
        "8081828384858687888990919293949596979899";
    unsigned n = decimal_digits(v), at = n;
    for (; v > 9; v /= 100) {
        at -= 2;
        memcpy(out + at, pairs + 2 * (v % 100), 2);
    }
    if (at)
        out[0] = (uint8_t)('0' + v);
    return n;
}

static inline unsigned hex_digits(uint64_t v)
{
    return (BIT_WIDTH(v | 1) + 3) / 4;
}

/* The same in hexadecimal, at most HEX_MAX small letters, without a prefix. */
static inline unsigned hex_put(uint8_t *out, uint64_t v)
{
    unsigned n = hex_digits(v);
    for (unsigned at = n; at-- > 0; v >>= 4)
        out[at] = (uint8_t)"0123456789abcdef"[v & 15];
    return n;
}

#endif
