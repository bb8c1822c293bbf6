/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "base/number.h"

#include "base/compiler.h"

const uint8_t number_digits[256] = {
    ['0'] = 1,  ['1'] = 2,  ['2'] = 3,  ['3'] = 4,  ['4'] = 5,  ['5'] = 6,  ['6'] = 7,  ['7'] = 8,
    ['8'] = 9,  ['9'] = 10, ['a'] = 11, ['b'] = 12, ['c'] = 13, ['d'] = 14, ['e'] = 15, ['f'] = 16,
    ['A'] = 11, ['B'] = 12, ['C'] = 13, ['D'] = 14, ['E'] = 15, ['F'] = 16,
};

static bool parse_digits(const char *s, size_t n, unsigned base, uint64_t *out)
{
    uint64_t v = 0;
    if (n == 0)
        return false;
    for (size_t i = 0; i < n; i++) {
        unsigned d = (unsigned)number_hex_digit(s[i]); /* no digit: larger than any base */
        if (d >= base || MUL_OVERFLOWS(v, (uint64_t)base, &v) || ADD_OVERFLOWS(v, (uint64_t)d, &v))
            return false;
    }
    *out = v;
    return true;
}

bool number_decimal(const char *s, size_t n, uint64_t *out)
{
    return parse_digits(s, n, 10, out);
}

bool number_auto(const char *s, size_t n, uint64_t *out)
{
    if (n < 2 || s[0] != '0')
        return parse_digits(s, n, 10, out);
    switch (s[1]) {
    case 'x':
    case 'X':
        return parse_digits(s + 2, n - 2, 16, out);
    case 'b':
    case 'B':
        return parse_digits(s + 2, n - 2, 2, out);
    case 'o':
        return parse_digits(s + 2, n - 2, 8, out);
    default:
        return parse_digits(s + 1, n - 1, 8, out);
    }
}
