/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "export/escaped_text.h"

#include "base/utf8.h"

/* Whether a character is white space or a byte order mark; those of ASCII are control characters, or blanks. */
static bool is_odd_space(uint32_t c)
{
    return c == 0xa0 || c == 0x1680 || (c >= 0x2000 && c <= 0x200a) || c == 0x2028 || c == 0x2029 ||
           c == 0x202f || c == 0x205f || c == 0x3000 || c == 0xfeff;
}

/* Whether a reader may take the rest of a name, after a blank, for a number; beyond ASCII there are digits, too. */
static bool is_number(const char *p, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (!((p[i] >= '0' && p[i] <= '9') || p[i] == '.' || p[i] == '+' || (uint8_t)p[i] >= 0x80))
            return false;
    return true;
}

/* Whether a character of ASCII stays as it is in a frame of a folded stack. */
static bool stays_in_stack(struct apf_str text, size_t at)
{
    const char c = text.p[at];
    if (c == ' ')
        return at > 0 && !is_number(text.p + at + 1, text.n - at - 1);
    return c != ';' && c != '\\';
}

/* The length of the character at text.p[at] if it stays as it is; 0: its first byte is escaped. */
static size_t kept_length(struct apf_str text, size_t at, enum escaped_place place)
{
    uint32_t character;
    const char *p = text.p + at;
    const size_t n = text.n - at;
    const uint8_t c = (uint8_t)p[0];
    if (c < 0x80 && place == ESCAPED_IN_STACK && !stays_in_stack(text, at))
        return 0;
    if (c == '\\')
        return n < 2 || p[1] != 'x';
    if (c < 0x80)
        return c >= ' ' && c != 0x7f;
    const size_t length = utf8_decode(p, n, &character);
    return length && !text_control_length(p, n) && !is_odd_space(character) ? length : 0;
}

bool escaped_next(struct apf_str text, size_t *at, enum escaped_place place, struct escaped_piece *piece)
{
    const size_t from = *at;
    size_t to = from, length;
    while (to < text.n && (length = kept_length(text, to, place)))
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

void escaped_append(struct file_out *out, struct apf_str text, enum escaped_place place)
{
    struct escaped_piece piece;
    for (size_t at = 0; escaped_next(text, &at, place, &piece);)
        (void)file_out_write(out, piece.p, piece.n);
}
