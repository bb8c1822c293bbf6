/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "base/number.h"

#include "base/compiler.h"

static unsigned digit_of(char c)
{
    if (c >= '0' && c <= '9')
        return (unsigned)(c - '0');
    if (c >= 'a' && c <= 'f')
        return (unsigned)(c - 'a') + 10;
    if (c >= 'A' && c <= 'F')
        return (unsigned)(c - 'A') + 10;
    return 255;
}

static bool digits(const char *s, size_t n, unsigned base, uint64_t *out)
{
    uint64_t v = 0;
    if (n == 0)
        return false;
    for (size_t i = 0; i < n; i++) {
        unsigned d = digit_of(s[i]);
        if (d >= base || MUL_OVERFLOWS(v, (uint64_t)base, &v) || ADD_OVERFLOWS(v, (uint64_t)d, &v))
            return false;
    }
    *out = v;
    return true;
}

bool number_decimal(const char *s, size_t n, uint64_t *out)
{
    return digits(s, n, 10, out);
}

bool number_auto(const char *s, size_t n, uint64_t *out)
{
    if (n < 2 || s[0] != '0')
        return digits(s, n, 10, out);
    switch (s[1]) {
    case 'x':
    case 'X':
        return digits(s + 2, n - 2, 16, out);
    case 'b':
    case 'B':
        return digits(s + 2, n - 2, 2, out);
    case 'o':
        return digits(s + 2, n - 2, 8, out);
    default:
        return digits(s + 1, n - 1, 8, out);
    }
}
