/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "page/markdown.h"

#include "base/text_append.h"
#include "base/text_bytes.h"
#include "base/utf8.h"

/* Bytes of a name, of which hosts refuse too much: those of its beginning, and those of its end, which in C++ tell more
 * than what is between them. */
#define CODE_HEAD 120u
#define CODE_TAIL 80u

/* The most backquotes of a name that follow each other; GitHub does not know a fence of more than 80. */
#define MOST_BACKQUOTES 40u

/* What stands before a character. */
struct run {
    size_t backslashes, backquotes;
};

/* Writes the character at the start of n bytes, as code in a table; returns its bytes. */
static size_t put_character(struct file_out *out, const char *p, size_t n, struct run *run)
{
    run->backquotes = *p == '`' ? run->backquotes + 1 : 0;
    if (run->backquotes > MOST_BACKQUOTES) {
        text_append(out, run->backquotes == MOST_BACKQUOTES + 1 ? "\xE2\x80\xA6" : "");
        return 1;
    }
    uint32_t character;
    const size_t control = text_control_length(p, n),
                 length = control ? control : utf8_decode(p, n, &character);
    if (control || !length)
        text_append(out, "\xEF\xBF\xBD");
    else if (*p == '|') /* after an odd number of backslashes, the one that is added would not be its own */
        text_append(out, run->backslashes % 2 ? "\\\\|" : "\\|");
    else
        (void)file_out_write(out, p, length);
    run->backslashes = *p == '\\' ? run->backslashes + 1 : 0;
    return length ? length : 1;
}

/* The most backquotes that are written one after the other. */
static size_t longest_fence(const char *p, size_t n)
{
    size_t most = 0, run = 0;
    for (size_t i = 0; i < n; i++) {
        run = p[i] == '`' ? run + 1 : 0;
        most = run > most ? run : most;
    }
    return most < MOST_BACKQUOTES ? most : MOST_BACKQUOTES;
}

void markdown_code(struct file_out *out, struct apf_str text)
{
    const size_t head = text.n <= CODE_HEAD + CODE_TAIL ? text.n : CODE_HEAD;
    const size_t tail = head < text.n ? CODE_TAIL : 0;
    const size_t at_head = longest_fence(text.p, head), at_tail = longest_fence(text.p + text.n - tail, tail);
    const size_t most = at_head > at_tail ? at_head : at_tail;
    struct run run = {0, 0};
    size_t at = 0;
    for (size_t i = 0; i <= most; i++)
        text_append(out, "`");
    text_append(out, most ? " " : "");
    while (at < head)
        at += put_character(out, text.p + at, text.n - at, &run);
    if (at < text.n) {
        text_append(out, "\xE2\x80\xA6");
        for (at = text.n - tail; ((uint8_t)text.p[at] & 0xC0) == 0x80 && at + 1 < text.n;) /* of UTF-8 */
            at++;
        run = (struct run){0, 0};
    }
    while (at < text.n)
        at += put_character(out, text.p + at, text.n - at, &run);
    text_append(out, most ? " " : "");
    for (size_t i = 0; i <= most; i++)
        text_append(out, "`");
}

/* Whether a text is words alone, in which no host finds links, mentions or markup. */
static bool is_words(struct apf_str text)
{
    for (size_t i = 0; i < text.n; i++) {
        const char c = text.p[i];
        if (!((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == ' ' ||
              c == ',' || c == '-' || c == ':' || c == '?' || c == '%' || c == '(' || c == ')' || c == '\''))
            return false;
    }
    return true;
}

void markdown_text(struct file_out *out, struct apf_str text)
{
    if (is_words(text))
        (void)file_out_write(out, text.p, text.n);
    else
        markdown_code(out, text);
}
