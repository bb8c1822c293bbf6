/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "numbers.h"

#include <stdlib.h>
#include <string.h>

static bool parse_digits(const char *text, size_t n, unsigned base, uint64_t *number)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < n; i++) {
        unsigned digit = 99;
        if (text[i] >= '0' && text[i] <= '9')
            digit = (unsigned)(text[i] - '0');
        else if (text[i] >= 'a' && text[i] <= 'f')
            digit = (unsigned)(text[i] - 'a') + 10;
        else if (text[i] >= 'A' && text[i] <= 'F')
            digit = (unsigned)(text[i] - 'A') + 10;
        if (digit >= base || sum > (UINT64_MAX - digit) / base)
            return false;
        sum = sum * base + digit;
    }
    *number = sum;
    return n > 0;
}

bool parse_decimal(const char *text, size_t n, uint64_t *number)
{
    return parse_digits(text, n, 10, number);
}

bool parse_number(const char *text, uint64_t *number)
{
    size_t n = strlen(text);
    if (n < 2 || text[0] != '0')
        return parse_digits(text, n, 10, number);
    switch (text[1]) {
    case 'x':
    case 'X':
        return parse_digits(text + 2, n - 2, 16, number);
    case 'b':
    case 'B':
        return parse_digits(text + 2, n - 2, 2, number);
    case 'o':
        return parse_digits(text + 2, n - 2, 8, number);
    default:
        return parse_digits(text + 1, n - 1, 8, number);
    }
}

/* The program never sets a locale, so the decimal point is '.'. */
bool parse_real(const char *text, double *number)
{
    char *end;
    if (!*text || strspn(text, "0123456789.eE+-") != strlen(text))
        return false;
    *number = strtod(text, &end);
    return *end == '\0';
}
