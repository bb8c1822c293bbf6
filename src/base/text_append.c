/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "base/text_append.h"

#include "base/double_text.h"
#include "base/text_bytes.h"

void text_blanks(struct file_out *out, size_t n)
{
    static const char blanks[] = "                                                                ";
    const size_t most = sizeof blanks - 1;
    for (; n > most; n -= most)
        (void)file_out_write(out, blanks, most);
    (void)file_out_write(out, blanks, n);
}

void text_share(struct file_out *out, uint64_t part, uint64_t whole, unsigned width)
{
    double share = whole ? 1000 * ((double)part / (double)whole) : 0;
    uint64_t tenths = share < 1e15 ? (uint64_t)(share + 0.5) : 0; /* a share is never so large */
    text_decimal(out, tenths / 10, width);
    text_append(out, ".");
    text_decimal(out, tenths % 10, 1);
}

void text_fixed(struct file_out *out, double v, unsigned decimals, size_t width)
{
    char digits[DOUBLE_FIXED_MAX];
    size_t n = double_fixed(digits, v, decimals);
    text_blanks(out, n < width ? width - n : 0);
    (void)file_out_write(out, digits, n);
}

/* Whether one of 8 bytes may begin a control character: all that do count as such, and some others from 0x80 on. */
static bool may_have_control(const char *p)
{
    const uint64_t each = 0x0101010101010101;
    uint64_t v;
    memcpy(&v, p, sizeof v);
    uint64_t delete = v ^ (each * 0x7f);
    return ((v - each * 0x20) | (delete - each)) & (each * 0x80);
}

void text_name(struct file_out *out, struct apf_str name)
{
    for (size_t at = 0; at < name.n;) {
        size_t from = at;
        while (name.n - at >= sizeof(uint64_t) && !may_have_control(name.p + at))
            at += sizeof(uint64_t);
        size_t control = 0;
        while (at < name.n && !(control = text_control_length(name.p + at, name.n - at)))
            at++;
        (void)file_out_write(out, name.p + from, at - from);
        for (; control; control--) {
            char escape[TEXT_ESCAPE];
            text_store_escape(escape, (uint8_t)name.p[at++]);
            (void)file_out_write(out, escape, sizeof escape);
        }
    }
}

size_t apf_text_escape(struct apf_str text, char *to, size_t size)
{
    size_t length = 0, kept = 0, control = 0;
    for (size_t i = 0; i < text.n; i++) {
        if (!control)
            control = text_control_length(text.p + i, text.n - i);
        char escape[TEXT_ESCAPE];
        text_store_escape(escape, (uint8_t)text.p[i]);
        size_t n = control ? sizeof escape : 1;
        if (length + n < size) { /* after one that does not fit, none does */
            memcpy(to + length, control ? escape : text.p + i, n);
            kept = length + n;
        }
        length += n;
        control -= control != 0;
    }
    if (size)
        to[kept] = '\0';
    return length;
}
