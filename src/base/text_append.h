/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Text for readers of reports. A failure to write is sticky, and file_out_close reports it. */
#ifndef BASE_TEXT_APPEND_H
#define BASE_TEXT_APPEND_H

#include "base/decimal.h"
#include "base/file.h"

static inline void text_append(struct file_out *out, const char *s)
{
    (void)file_out_write(out, s, strlen(s));
}

void text_blanks(struct file_out *out, size_t n);

/* Numbers, with blanks before them to fill the width. */
static inline void text_decimal(struct file_out *out, uint64_t v, unsigned width)
{
    unsigned n = decimal_digits(v);
    if (n < width)
        text_blanks(out, width - n);
    out->p += decimal_store(file_out_room(out, DECIMAL_MAX), v);
}

static inline void text_hex(struct file_out *out, uint64_t v, unsigned width)
{
    unsigned n = hex_digits(v);
    if (n < width)
        text_blanks(out, width - n);
    out->p += hex_store(file_out_room(out, HEX_MAX), v);
}

/* A number with zeros before it, `digits` digits in all. */
static inline void text_hex_digits(struct file_out *out, uint64_t v, size_t digits)
{
    static const char zeros[] = "000000000000000";
    unsigned n = hex_digits(v);
    if (n < digits)
        (void)file_out_write(out, zeros, digits - n);
    out->p += hex_store(file_out_room(out, HEX_MAX), v);
}

/* A hash or an id: "0x" and 16 digits. */
static inline void text_hash(struct file_out *out, uint64_t v)
{
    text_append(out, "0x");
    text_hex_digits(out, v, HEX_MAX);
}

/* A share in per cent, with one decimal: width + 2 characters. 0 of 0 is 0. */
void text_share(struct file_out *out, uint64_t part, uint64_t whole, unsigned width);

/* Writes a finite number that is not negative as printf's "%*.*f" does in the C locale, with at most 3 decimals. */
void text_fixed(struct file_out *out, double v, unsigned decimals, size_t width);

/* Writes a name from a file, safe for terminals: control characters and marks of direction become \xNN. */
void text_name(struct file_out *out, struct apf_str name);

/* Writes the name of a function as it is to be shown, likewise. */
static inline void text_function(struct file_out *out, struct apf_str name)
{
    text_name(out, file_out_shown(out, name));
}

/* Writes a terminated text, such as a message with names from a file in it, as text_name does. */
static inline void text_message(struct file_out *out, const char *message)
{
    struct apf_str text = {message, strlen(message)};
    text_name(out, text);
}

#endif
