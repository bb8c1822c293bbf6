/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "base/file_terminal.h"

#include <stdbool.h>
#include <string.h>

#include "base/text_bytes.h"
#include "base/utf8.h"

/* Whether n bytes are the beginning of a character of UTF-8, and not all of it. */
static bool is_begun(const uint8_t *p, size_t n)
{
    const size_t length = p[0] >= 0xf0 && p[0] <= 0xf4 ? 4 : p[0] >= 0xe0 ? 3 : 2;
    if (p[0] < 0xc2 || p[0] > 0xf4 || n >= length)
        return false;
    for (size_t i = 1; i < n; i++)
        if ((p[i] & 0xc0) != 0x80)
            return false;
    return true;
}

/* Of what is held back, the length of the first character, or 1; *obeyed: a terminal obeys it. */
static size_t first_length(const uint8_t *p, size_t n, bool *obeyed)
{
    uint32_t character;
    const size_t length = utf8_decode(p, n, &character);
    const bool kept = *p == '\n' || *p == '\t';
    *obeyed = length ? !kept && text_control_length((const char *)p, n) : *p < 0xa0;
    return length ? length : 1;
}

/* Adds a byte to those held back, and stores at `to` what need not be held back any longer. Returns its length. */
static size_t take_byte(struct file_terminal *t, uint8_t byte, uint8_t *to)
{
    size_t n = 0;
    t->held[t->n_held++] = byte;
    while (t->n_held && !is_begun(t->held, t->n_held)) {
        bool obeyed;
        const size_t length = first_length(t->held, t->n_held, &obeyed);
        for (size_t i = 0; i < length; i++, n += obeyed ? TEXT_ESCAPE : 1)
            if (obeyed)
                text_store_escape((char *)to + n, t->held[i]);
            else
                to[n] = t->held[i];
        t->n_held -= length;
        memmove(t->held, t->held + length, t->n_held);
    }
    return n;
}

size_t file_terminal_store(struct file_terminal *t, const uint8_t *p, size_t n, uint8_t *to)
{
    size_t stored = 0;
    for (size_t i = 0; i < n; i++)
        stored += take_byte(t, p[i], to + stored);
    return stored;
}

size_t file_terminal_end(struct file_terminal *t, uint8_t *to)
{
    size_t n = t->n_held;
    t->n_held = 0;
    memcpy(to, t->held, n);
    return n;
}
