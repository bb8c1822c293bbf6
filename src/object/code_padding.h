/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Padding: what compilers and linkers fill gaps between functions with. */
#ifndef OBJECT_CODE_PADDING_H
#define OBJECT_CODE_PADDING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Whether n bytes after a function are padding as BOLT sees it, and nothing else: breakpoints first, then instructions
 * that do nothing, zeros, and jumps forward in the gap. */
bool x86_is_padding(const uint8_t *p, size_t n);
bool aarch64_is_padding(const uint8_t *p, size_t n);

#endif
