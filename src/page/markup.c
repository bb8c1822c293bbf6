/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "page/markup.h"

#include "base/text_append.h"
#include "base/utf8.h"
#include "base/vec.h"

#define REPLACEMENT "\xEF\xBF\xBD"

/* Marks that turn the direction of text, with which code looks other than it is. */
static bool is_direction(uint32_t character)
{
    return character == 0x61C || character == 0x200E || character == 0x200F ||
           (character >= 0x202A && character <= 0x202E) || (character >= 0x2066 && character <= 0x2069);
}

/* What stands for a character; NULL: itself. */
static const char *entity(uint32_t character)
{
    switch (character) {
    case '&':
        return "&amp;";
    case '<':
        return "&lt;";
    case '>':
        return "&gt;";
    case '"':
        return "&quot;";
    case '\'':
        return "&#39;";
    case '\t':
        return NULL;
    default:
        return is_direction(character) || character < ' ' || (character >= 0x7F && character < 0xA0) ||
                       character == 0xFFFE || character == 0xFFFF
                   ? REPLACEMENT
                   : NULL;
    }
}

void markup_text(struct file_out *out, struct apf_str text)
{
    size_t from = 0;
    for (size_t i = 0; i < text.n;) {
        uint32_t character;
        const size_t n = utf8_decode(text.p + i, text.n - i, &character);
        const char *other = n ? entity(character) : REPLACEMENT;
        if (!other) {
            i += n;
            continue;
        }
        (void)file_out_write(out, text.p + from, i - from);
        text_append(out, other);
        from = i += n ? n : 1;
    }
    (void)file_out_write(out, ENTRY_AT(text.p, from), text.n - from);
}
