/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What an output writes to a terminal: names in profiles may hold bytes that a terminal obeys, such as a sequence that
 * renames its window or hides what was printed before. */
#ifndef BASE_FILE_TERMINAL_H
#define BASE_FILE_TERMINAL_H

#include <stddef.h>
#include <stdint.h>

/* All zero at the beginning of an output. The bytes come in pieces. */
struct file_terminal {
    /* the beginning of a character whose other bytes have not come yet; full only for a moment */
    uint8_t held[4];
    size_t n_held;
};

/* Stores n bytes at `to` as a terminal gets them: control characters but line feeds and tabs, and marks of direction,
 * become \xNN, as do bytes of 0x80 to 0x9f that are part of no character: terminals of 8 bits obey them. Returns their
 * length; `to` has room for FILE_TERMINAL_ROOM(n). The first bytes of a character at the end are held back;
 * file_terminal_end stores them, at most 3. */
#define FILE_TERMINAL_ROOM(n) (4 * ((n) + 3)) /* 4: TEXT_ESCAPE */
size_t file_terminal_store(struct file_terminal *t, const uint8_t *p, size_t n, uint8_t *to);
size_t file_terminal_end(struct file_terminal *t, uint8_t *to);

#endif
