/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Numbers on the command line and in lists of inputs. */
#ifndef CLI_NUMBERS_H
#define CLI_NUMBERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Decimal digits only. */
bool parse_decimal(const char *text, size_t n, uint64_t *number);
/* Hexadecimal after 0x, binary after 0b, octal after 0o or 0, otherwise decimal. */
bool parse_number(const char *text, uint64_t *number);
/* A number with or without a fraction and an exponent. */
bool parse_real(const char *text, double *number);
/* A number from 1, with or without one of the units K, M, G. */
bool parse_size(const char *text, uint64_t *number);
/* A number from 1 of seconds or, with one of the units s, m, h, d, w after it, of minutes and so on. */
bool parse_duration(const char *text, uint64_t *seconds);

#endif
