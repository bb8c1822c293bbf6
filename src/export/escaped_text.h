/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Names in formats that cannot hold every byte. A byte becomes \xNN if it is part of no UTF-8 character or of a control
 * character or mark of direction (text_control_length), or if it separates things in the format, and a backslash does
 * if an "x" follows it. So replacing each \xNN by its byte gives the name back. */
#ifndef EXPORT_ESCAPED_TEXT_H
#define EXPORT_ESCAPED_TEXT_H

#include <stdbool.h>

#include "base/file.h"
#include "base/text_bytes.h"

/* A part of an escaped text: bytes of the text, or an escape. */
struct escaped_piece {
    const char *p;
    size_t n;
    char escape[TEXT_ESCAPE];
};

/* Sets the piece that begins at *at, and moves *at past what it stands for; false at the end of the text. `separator`
 * 0: none. */
bool escaped_next(struct apf_str text, size_t *at, char separator, struct escaped_piece *piece);
void escaped_append(struct file_out *out, struct apf_str text, char separator);

#endif
