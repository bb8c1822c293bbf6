/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "base/file_terminal.h"

#include <stdbool.h>
#include <string.h>

#include "base/text_bytes.h"

static size_t control_length(const uint8_t *p, size_t n)
{
    return *p == '\n' || *p == '\t' ? 0 : text_control_length((const char *)p, n);
}

/* Whether n bytes are the beginning of a character that text_control_length may know, and not all of it. */
static bool is_begun(const uint8_t *p, size_t n)
{
    if (n == 1)
        return p[0] == 0xc2 || p[0] == 0xd8 || p[0] == 0xe2;
    return n == 2 && p[0] == 0xe2 && (p[1] == 0x80 || p[1] == 0x81);
}

/* Adds a byte to those held back, and stores at `to` what need not be held back any longer. Returns its length. */
static size_t take_byte(struct file_terminal *t, uint8_t byte, uint8_t *to)
{
    size_t n = 0;
    t->held[t->n_held++] = byte;
    while (t->n_held && !is_begun(t->held, t->n_held)) {
        size_t control = control_length(t->held, t->n_held), taken = control ? control : 1;
        if (!control)
            to[n++] = t->held[0];
        for (size_t i = 0; i < control; i++, n += TEXT_ESCAPE)
            text_store_escape((char *)to + n, t->held[i]);
        t->n_held -= taken;
        memmove(t->held, t->held + taken, t->n_held);
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
