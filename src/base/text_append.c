/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "base/text_append.h"

#include "base/double_text.h"

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

static bool is_control(uint8_t c)
{
    return c < 0x20 || c == 0x7f;
}

/* Whether one of 8 characters may be a control character; characters from 0x80 on, too, count as such sometimes. */
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
        while (at < name.n && !is_control((uint8_t)name.p[at]))
            at++;
        (void)file_out_write(out, name.p + from, at - from);
        if (at < name.n) {
            uint8_t c = (uint8_t)name.p[at++];
            text_append(out, c < 16 ? "\\x0" : "\\x");
            text_hex(out, c, 1);
        }
    }
}
