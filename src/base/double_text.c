/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "base/double_text.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/decimal.h"
#include "base/number.h"

#define SEPARATOR_MAX 8
#define WHOLE 0x1p53 /* doubles from here on are whole numbers */
#define PRINTED_MAX (DOUBLE_TEXT_MAX + SEPARATOR_MAX)

size_t double_copy_printed(char *out, const char *printed)
{
    size_t n = 0;
    for (; *printed; printed++)
        if (number_is_digit(*printed) || *printed == '-' || *printed == '+' || *printed == 'e')
            out[n++] = *printed;
        else if (n == 0 || out[n - 1] != '.')
            out[n++] = '.';
    return n;
}

/* v * factor, rounded, ties to even. v is below WHOLE, factor at most 1000: all digits of the product fit. */
static uint64_t multiply_rounded(double v, uint64_t factor)
{
    int exponent;
    uint64_t product = (uint64_t)ldexp(frexp(v, &exponent), DBL_MANT_DIG) * factor;
    unsigned shift = (unsigned)(DBL_MANT_DIG - exponent);
    if (shift >= 64)
        return 0; /* less than a half: the product is below 2^63 */
    uint64_t half = shift ? (uint64_t)1 << (shift - 1) : 0;
    uint64_t whole = product >> shift, rest = product - (whole << shift);
    bool up = shift && (rest > half || (rest == half && whole % 2));
    return whole + up;
}

/* Outputs with a share in each line are little else: printf would take most of their time. */
static size_t print_small(char *out, double v, unsigned decimals)
{
    static const uint64_t factors[DOUBLE_FIXED_DECIMALS + 1] = {1, 10, 100, 1000};
    uint64_t factor = factors[decimals], product = multiply_rounded(v, factor);
    uint8_t digits[2 * DECIMAL_MAX];
    unsigned n = decimal_store(digits, product / factor);
    if (decimals) {
        decimal_store(digits + n, factor + product % factor); /* the 1 in front keeps zeros */
        digits[n] = '.';
        n += decimals + 1;
    }
    memcpy(out, digits, n);
    return n;
}

size_t double_fixed(char *out, double v, unsigned decimals)
{
    char printed[DOUBLE_FIXED_MAX + SEPARATOR_MAX];
    if (!(v >= 0 && v <= DBL_MAX) || decimals > DOUBLE_FIXED_DECIMALS)
        return 0;
    if (v < WHOLE)
        return print_small(out, v, decimals);
    snprintf(printed, sizeof printed, "%.*f", (int)decimals, v);
    return double_copy_printed(out, printed);
}

size_t double_exponent(char *out, double v)
{
    char printed[PRINTED_MAX];
    if (!(v >= 0 && v <= DBL_MAX))
        return 0;
    snprintf(printed, sizeof printed, "%e", fabs(v));
    return double_copy_printed(out, printed);
}

static bool reads_back(const char *printed, double v)
{
    return strtod(printed, NULL) == v;
}

/* Prints the shortest number that reads back as v, which is finite and not negative, with an exponent. Printing and
 * reading use the same locale. Numbers of DBL_DIG digits survive both, except those below DBL_MIN. */
static void print_shortest(char printed[PRINTED_MAX], double v)
{
    for (int n = v < DBL_MIN ? 1 : DBL_DIG; n <= DBL_DECIMAL_DIG; n++) {
        snprintf(printed, PRINTED_MAX, "%.*e", n - 1, v);
        if (reads_back(printed, v))
            return;
        if (n < DBL_DECIMAL_DIG - 1)
            continue;
        /* Below a power of two the doubles lie half as far apart as above it: the nearest number may be below and not
         * read back while the next one above does. No such number ends in 9. */
        ++*(strchr(printed, 'e') - 1);
        if (reads_back(printed, v))
            return;
    }
}

/* Keeps the digits of a number that was printed with an exponent; returns how many, without zeros at the end. */
static int keep_digits(char *text, size_t n)
{
    int digits = 0;
    for (size_t i = 0; i < n; i++)
        if (number_is_digit(text[i]))
            text[digits++] = text[i];
    while (digits > 1 && text[digits - 1] == '0')
        digits--;
    return digits;
}

static int read_exponent(const char *text, const char *end)
{
    int exponent = 0;
    for (const char *p = text + 1; p < end; p++)
        exponent = 10 * exponent + (*p - '0');
    return *text == '-' ? -exponent : exponent;
}

size_t double_text(char *out, double v)
{
    char printed[PRINTED_MAX], text[PRINTED_MAX] = "";
    size_t n = 0;
    if (!isfinite(v))
        return 0;
    print_shortest(printed, fabs(v));
    const char *end = text + double_copy_printed(text, printed);
    const char *e = memchr(text, 'e', (size_t)(end - text));
    int exponent = read_exponent(e + 1, end), digits = keep_digits(text, (size_t)(e - text));
    bool scientific = exponent < -4 || exponent >= DBL_DECIMAL_DIG;
    int point =
        scientific ? 0 : exponent; /* the number of the digit before it; less than 0: zeros stand there */
    if (signbit(v))
        out[n++] = '-';
    for (int i = point < 0 ? point : 0; i < digits || i <= point; i++) {
        out[n++] = (char)(i < 0 || i >= digits ? '0' : text[i]);
        if (i == point && i + 1 < digits)
            out[n++] = '.';
    }
    while (scientific && e < end)
        out[n++] = *e++;
    return n;
}
