/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* UTF-8: the well-formed sequences of the Unicode standard (version 15, table 3-7): no overlong forms, and no
 * surrogates. */
#ifndef BASE_UTF8_H
#define BASE_UTF8_H

#include "base/compiler.h"

#include <anyprof/error.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The length of the sequence at the start of n > 0 bytes, and its character; 0: no sequence. */
size_t utf8_decode(const void *bytes, size_t n, uint32_t *character) MUST_USE;

/* Whether all bytes are UTF-8. */
bool utf8_valid(struct apf_str text) MUST_USE;

#endif
