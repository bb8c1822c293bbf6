/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Unpacking piece by piece, for files that are not read whole: the same streams as decompress.h, whose rules hold but
 * for the bound by the size of the file, which is not known; memory does not grow with what is unpacked. */
#ifndef BASE_UNPACK_H
#define BASE_UNPACK_H

#include <stdbool.h>

#include "base/decompress.h"

struct unpack;

/* Begins with the first byte of a file. */
int unpack_open(struct unpack **result, enum compression kind, struct apf_error *error);
/* Takes bytes from *src, and moves it; gives bytes to `to`, and says how many. Nothing was given, and nothing is left:
 * more is needed. `last`: nothing will follow, and *done says whether that was all. Offsets of errors are those of the
 * compressed file. */
int unpack_step(struct unpack *u, const uint8_t **src, const uint8_t *end, bool last, uint8_t *to,
                size_t room, size_t *got, bool *done, struct apf_error *error);
void unpack_close(struct unpack *u);

#endif
