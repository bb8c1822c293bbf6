/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Doubles as text, whatever the locale is: the digits are those of the C library, the separator is always a point.
 * The text is not terminated. */
#ifndef BASE_DOUBLE_TEXT_H
#define BASE_DOUBLE_TEXT_H

#include <stddef.h>

#define DOUBLE_TEXT_MAX 24
/* Digits of the largest double, and what may stand around them. */
#define DOUBLE_FIXED_MAX 320
#define DOUBLE_FIXED_DECIMALS 3u
#define DOUBLE_EXPONENT_MAX 16

/* Stores the shortest decimal number that reads back as v (of several, the nearest to v), laid out as %.17g does:
 * "1", "0.1", "-2.5e-07", "1e+17", "-0". Returns its length, at most DOUBLE_TEXT_MAX, or 0 when v is not finite. */
size_t double_text(char *out, double v);
/* What %.*f prints, with at most DOUBLE_FIXED_DECIMALS decimals: rounded correctly, ties to even. Returns its length,
 * at most DOUBLE_FIXED_MAX, or 0 when v is negative or not finite. */
size_t double_fixed(char *out, double v, unsigned decimals);
/* What %e prints: "1.234560e+02". Returns its length, at most DOUBLE_EXPONENT_MAX, or 0 when v is negative or not
 * finite. */
size_t double_exponent(char *out, double v);
/* Copies a number that printf printed, with a point for the separator of the locale, which may have several bytes.
 * Returns the length of the copy. */
size_t double_copy_printed(char *out, const char *printed);

#endif
