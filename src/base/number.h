/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Numbers in text. Digits only: no sign, no spaces, no locale. */
#ifndef BASE_NUMBER_H
#define BASE_NUMBER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The value of each byte as a hexadecimal digit, plus 1; 0: no digit. */
extern const uint8_t number_digits[256];
/* The value of a hexadecimal digit; -1: no digit. */
static inline int number_hex_digit(char c)
{
    return number_digits[(uint8_t)c] - 1;
}

static inline bool number_is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* Parses all of s[0..n) as a decimal number; false when it is empty, has another character or overflows. */
bool number_decimal(const char *s, size_t n, uint64_t *out);
/* Parses as LLVM's base 0 does: 0x or 0X hex, 0b or 0B binary, 0o or a leading 0 octal, else decimal. */
bool number_auto(const char *s, size_t n, uint64_t *out);

#endif
