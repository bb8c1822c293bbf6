/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Numbers as text: digits only, no terminator, no locale. Inline, because some outputs are little else. */
#ifndef BASE_DECIMAL_H
#define BASE_DECIMAL_H

#include <stddef.h>
#include <stdint.h>

#include "base/endian.h"

#define DECIMAL_MAX ((size_t)20)
#define HEX_MAX ((size_t)16)

/* The number of decimal digits: 0.3 times the number of bits, corrected by 1 where that is too few. */
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

#define DECIMAL_EIGHT 100000000u /* the first number of nine digits */

/* The eight digits of a number below DECIMAL_EIGHT as bytes 0 to 9, the first digit in the lowest byte. All digits are
 * found at once: halves of four digits, then quarters of two, then single ones, each in its own part of the word.
 * Divisions by 100 and 10 are multiplications by 10486 / 2^20 and 103 / 2^10, which are exact for numbers so small. */
static inline uint64_t decimal_eight(uint32_t v)
{
    uint64_t halves = v / 10000 | (uint64_t)(v % 10000) << 32;
    uint64_t upper = halves * 10486 >> 20 & 0x0000007f0000007f;
    uint64_t quarters = upper | (halves - 100 * upper) << 16;
    uint64_t tens = quarters * 103 >> 10 & 0x000f000f000f000f;
    return tens | (quarters - 10 * tens) << 8;
}

#define DECIMAL_ZEROS 0x3030303030303030 /* "00000000" */

/* Stores a number below DECIMAL_EIGHT without leading zeros; returns how many digits it has. */
static inline unsigned decimal_store_first(uint8_t *out, uint32_t v)
{
    uint64_t digits = decimal_eight(v);
    unsigned zeros = v ? LOW_ZEROS(digits) / 8 : 7; /* leading ones, which are left out */
    store64le(out, (digits | DECIMAL_ZEROS) >> 8 * zeros);
    return 8 - zeros;
}

/* Stores the digits and returns how many there are. `out` has room for DECIMAL_MAX bytes: any of them may change. */
static inline unsigned decimal_store(uint8_t *out, uint64_t v)
{
    const uint64_t sixteen = (uint64_t)DECIMAL_EIGHT * DECIMAL_EIGHT;
    if (LIKELY(v < DECIMAL_EIGHT))
        return decimal_store_first(out, (uint32_t)v);
    unsigned n = v < sixteen ? decimal_store_first(out, (uint32_t)(v / DECIMAL_EIGHT))
                             : decimal_store_first(out, (uint32_t)(v / sixteen));
    if (v >= sixteen) {
        store64le(out + n, decimal_eight((uint32_t)(v / DECIMAL_EIGHT % DECIMAL_EIGHT)) | DECIMAL_ZEROS);
        n += 8;
    }
    store64le(out + n, decimal_eight((uint32_t)(v % DECIMAL_EIGHT)) | DECIMAL_ZEROS);
    return n + 8;
}

static inline unsigned hex_digits(uint64_t v)
{
    return (BIT_WIDTH(v | 1) + 3) / 4;
}

/* As decimal_store in hexadecimal: at most HEX_MAX lower-case digits, without a prefix. */
static inline unsigned hex_store(uint8_t *out, uint64_t v)
{
    unsigned n = hex_digits(v);
    for (unsigned at = n; at-- > 0; v >>= 4)
        out[at] = (uint8_t)"0123456789abcdef"[v & 15];
    return n;
}

#endif
