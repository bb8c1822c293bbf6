/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "numbers.h"

#include <stdlib.h>
#include <string.h>

#define LONGEST_DURATION ((uint64_t)1 << 40) /* seconds, so that sums with times are numbers of 64 bits */

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

bool parse_size(const char *text, uint64_t *number)
{
    static const char units[] = "KMG";
    size_t n = strlen(text);
    const char *unit = n ? strchr(units, text[n - 1]) : NULL;
    unsigned bits = unit ? 10 * (unsigned)(unit - units + 1) : 0;
    uint64_t value;
    if (!parse_decimal(text, n - (unit != NULL), &value) || value == 0 || value > UINT64_MAX >> bits)
        return false;
    *number = value << bits;
    return true;
}

bool parse_duration(const char *text, uint64_t *seconds)
{
    static const struct {
        char name;
        uint32_t seconds;
    } units[] = {{'s', 1}, {'m', 60}, {'h', 3600}, {'d', 86400}, {'w', 604800}};
    size_t n = strlen(text);
    uint64_t unit = 0, value;
    for (size_t i = 0; n && i < sizeof units / sizeof *units; i++)
        if (text[n - 1] == units[i].name)
            unit = units[i].seconds;
    if (!parse_decimal(text, n - (unit != 0), &value) || value == 0 ||
        value > LONGEST_DURATION / (unit ? unit : 1))
        return false;
    *seconds = value * (unit ? unit : 1);
    return true;
}
