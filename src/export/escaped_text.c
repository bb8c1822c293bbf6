/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "export/escaped_text.h"

#include "base/utf8.h"

/* The length of the character at the start of n > 0 bytes if it stays as it is; 0: its first byte is escaped. */
static size_t kept_length(const char *p, size_t n, char separator)
{
    uint32_t character;
    const uint8_t c = (uint8_t)p[0];
    if (c == '\\')
        return n < 2 || p[1] != 'x';
    if (c < 0x80)
        return c >= ' ' && c != 0x7f && (c != (uint8_t)separator || !separator);
    const size_t length = utf8_decode(p, n, &character);
    return length && !text_control_length(p, n) ? length : 0;
}

bool escaped_next(struct apf_str text, size_t *at, char separator, struct escaped_piece *piece)
{
    const size_t from = *at;
    size_t to = from, length;
    while (to < text.n && (length = kept_length(text.p + to, text.n - to, separator)))
        to += length;
    if (to > from) {
        piece->p = text.p + from;
        piece->n = to - from;
    } else if (from < text.n) {
        text_store_escape(piece->escape, (uint8_t)text.p[from]);
        piece->p = piece->escape;
        piece->n = sizeof piece->escape;
        to = from + 1;
    }
    *at = to;
    return to > from;
}

void escaped_append(struct file_out *out, struct apf_str text, char separator)
{
    struct escaped_piece piece;
    for (size_t at = 0; escaped_next(text, &at, separator, &piece);)
        (void)file_out_write(out, piece.p, piece.n);
}
