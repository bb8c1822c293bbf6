/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* How far a mistyped word is from others. */
#ifndef CLI_EDIT_DISTANCE_H
#define CLI_EDIT_DISTANCE_H

#include <stddef.h>

/* The number of letters of `a` to change, add, remove or swap with the next one to get `b`. SIZE_MAX: more than `most`,
 * or a word has more than 256 letters. */
size_t edit_distance(const char *a, size_t na, const char *b, size_t nb, size_t most);

#endif
