/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Names in formats that cannot hold every byte. A byte becomes \xNN if it is part of no UTF-8 character, or of a
 * control character, a mark of direction (text_control_length), a byte order mark, or white space other than a blank,
 * which some readers take for the end of a line; and a backslash does if an "x" follows it. So replacing each \xNN by
 * its byte gives the name back. */
#ifndef EXPORT_ESCAPED_TEXT_H
#define EXPORT_ESCAPED_TEXT_H

#include <stdbool.h>

#include "base/file.h"
#include "base/text_bytes.h"

/* Where a name stands, which decides what else is escaped. */
enum escaped_place {
    ESCAPED_ALONE, /* nothing */
    /* A frame of a folded stack. A semicolon would end it. Readers cut blanks at its ends, and take a number after its
     * last blank for one of the stack's. A backslash before a quote would end the string in the script of a flame graph
     * that older versions of flamegraph.pl copy the name into, so that no backslash stays. */
    ESCAPED_IN_STACK
};

/* A part of an escaped text: bytes of the text, or an escape. */
struct escaped_piece {
    const char *p;
    size_t n;
    char escape[TEXT_ESCAPE];
};

/* Sets the piece that begins at *at, and moves *at past what it stands for; false at the end of the text. */
bool escaped_next(struct apf_str text, size_t *at, enum escaped_place place, struct escaped_piece *piece);
void escaped_append(struct file_out *out, struct apf_str text, enum escaped_place place);

#endif
