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

/* The length of the character at the start of n > 0 bytes if a terminal obeys it: a control character, or in UTF-8 one
 * of U+0080 to U+009F or a mark of direction (U+200E, U+200F, U+202A to U+202E, U+2066 to U+2069). 0: another one. */
static size_t control_length(const char *bytes, size_t n)
{
    const uint8_t *p = (const uint8_t *)bytes;
    if (p[0] < 0x20 || p[0] == 0x7f)
        return 1;
    if (n > 1 && p[0] == 0xc2 && p[1] >= 0x80 && p[1] < 0xa0)
        return 2;
    if (n < 3 || p[0] != 0xe2)
        return 0;
    bool mark = p[1] == 0x80 ? p[2] == 0x8e || p[2] == 0x8f || (p[2] >= 0xaa && p[2] <= 0xae)
                             : p[1] == 0x81 && p[2] >= 0xa6 && p[2] <= 0xa9;
    return mark ? 3 : 0;
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
        while (at < name.n && !(control = control_length(name.p + at, name.n - at)))
            at++;
        (void)file_out_write(out, name.p + from, at - from);
        for (; control; control--) {
            uint8_t c = (uint8_t)name.p[at++];
            text_append(out, c < 16 ? "\\x0" : "\\x");
            text_hex(out, c, 1);
        }
    }
}
