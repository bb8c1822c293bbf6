/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Doubles with a fixed number of decimals, digit for digit as the C library prints them in the "C" locale. */
#ifndef BASE_DOUBLE_FIXED_H
#define BASE_DOUBLE_FIXED_H

#include <stddef.h>

/* Digits of the largest double, and what may stand around them. */
#define DOUBLE_FIXED_MAX 320
#define DOUBLE_FIXED_DECIMALS 3u
#define DOUBLE_EXPONENT_MAX 16

/* What %.*f prints, with at most DOUBLE_FIXED_DECIMALS decimals: rounded correctly, ties to even. Returns its length,
 * at most DOUBLE_FIXED_MAX and not terminated, or 0 when v is negative or not finite. */
size_t double_fixed(char *out, double v, unsigned decimals);
/* What %e prints of a whole number: "1.234560e+02". Returns its length, at most DOUBLE_EXPONENT_MAX and not
 * terminated, or 0 when v is no such number. */
size_t double_exponent(char *out, double v);

#endif
