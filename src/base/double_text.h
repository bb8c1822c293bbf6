/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Writing a double as text, without the C library: its functions follow the locale. */
#ifndef BASE_DOUBLE_TEXT_H
#define BASE_DOUBLE_TEXT_H

#include <stddef.h>

#define DOUBLE_TEXT_MAX 24

/* Stores the shortest decimal number that reads back as v (of several, the nearest to v), laid out as %.17g does:
 * "1", "0.1", "-2.5e-07", "1e+17", "-0". Returns its length, at most DOUBLE_TEXT_MAX and not terminated, or 0 when v
 * is not finite. */
size_t double_text(char *out, double v);

#endif
