/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Decimal numbers for names and messages; safe in signal handlers. */
#ifndef RT_DECIMAL_H
#define RT_DECIMAL_H

#include <stddef.h>
#include <stdint.h>

enum { RT_MOST_DIGITS = 20 };

/* Writes the digits and returns their number. */
static inline size_t aprt_decimal(char digits[RT_MOST_DIGITS], uint64_t number)
{
    size_t n = 1;
    for (uint64_t rest = number; rest /= 10;)
        n++;
    for (size_t i = n; i--; number /= 10)
        digits[i] = (char)('0' + number % 10);
    return n;
}

#endif
