/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "base/yaml_text.h"

#include "base/text_append.h"
#include "base/text_bytes.h"
#include "base/utf8.h"

enum quotes { PLAIN, SINGLE, DOUBLE };

static bool is_alnum(unsigned char c)
{
    return (c >= '0' && c <= '9') || ((c | 0x20) >= 'a' && (c | 0x20) <= 'z');
}

static size_t span_digits(const char *p, size_t n, bool hex)
{
    size_t i = 0;
    while (i < n && ((p[i] >= '0' && p[i] <= '9') || (hex && (p[i] | 0x20) >= 'a' && (p[i] | 0x20) <= 'f')))
        i++;
    return i;
}

/* Whether YAML reads a text as a number: decimal with sign, point and exponent, 0x, 0o, infinity, or NaN. */
static bool is_number(struct apf_str s)
{
    static const char *const words[] = {".nan", ".NaN", ".NAN", ".inf", ".Inf", ".INF"};
    for (size_t i = 0; i < 3; i++)
        if (text_is(s, words[i]))
            return true;
    if (s.n > 2 && s.p[0] == '0' && (s.p[1] == 'x' || s.p[1] == 'o')) {
        size_t n = span_digits(s.p + 2, s.n - 2, s.p[1] == 'x');
        return n == s.n - 2 && (s.p[1] == 'x' || !memchr(s.p + 2, '8', n) || !memchr(s.p + 2, '9', n));
    }
    if (s.n && (*s.p == '-' || *s.p == '+')) {
        s.p++;
        s.n--;
    }
    for (size_t i = 3; i < 6; i++)
        if (text_is(s, words[i]))
            return true;
    size_t whole = span_digits(s.p, s.n, false), at = whole, part = 0;
    if (at < s.n && s.p[at] == '.') {
        part = span_digits(s.p + at + 1, s.n - at - 1, false);
        at += 1 + part;
    }
    if (whole + part == 0)
        return false;
    if (at < s.n && (s.p[at] | 0x20) == 'e') {
        at++;
        at += at < s.n && (s.p[at] == '-' || s.p[at] == '+');
        size_t exponent = span_digits(s.p + at, s.n - at, false);
        return exponent && at + exponent == s.n;
    }
    return at == s.n;
}

/* Whether a word would be read as something other than text. */
static bool is_special(struct apf_str s)
{
    static const char *const words[] = {"null", "Null", "NULL",  "~",     "true",
                                        "True", "TRUE", "false", "False", "FALSE"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (text_is(s, words[i]))
            return true;
    return is_number(s);
}

static bool is_yaml_space(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

static enum quotes quotes_of(struct apf_str s)
{
    if (s.n == 0)
        return SINGLE;
    enum quotes quotes = PLAIN;
    if (is_yaml_space(s.p[0]) || is_yaml_space(s.p[s.n - 1]) || is_special(s) ||
        (s.p[0] && strchr("-?:\\,[]{}#&*!|>'\"%@`", s.p[0])))
        quotes = SINGLE;
    for (size_t i = 0; i < s.n; i++) {
        unsigned char c = (unsigned char)s.p[i];
        if (is_alnum(c) || (c && strchr("_-^., \t", c)))
            continue;
        if (c < 0x20 || c >= 0x7f)
            return DOUBLE;
        quotes = SINGLE;
    }
    return quotes;
}

void yaml_write_hex_upper(struct file_out *out, uint64_t v, unsigned digits)
{
    uint8_t *p = file_out_room(out, HEX_MAX);
    for (unsigned i = digits; i-- > 0; v >>= 4)
        p[i] = (uint8_t)"0123456789ABCDEF"[v & 15];
    out->p += digits;
}

/* A character between double quotes, of n bytes. */
static void write_character(struct file_out *out, const char *p, size_t n, uint32_t c)
{
    static const char from[] = "\\\"\0\a\b\t\n\v\f\r\x1b", to[] = "\\\"0abtnvfre";
    const char *at = c < 0x80 ? (const char *)memchr(from, (int)c, sizeof from - 1) : NULL;
    if (at) {
        char escape[2] = {'\\', to[at - from]};
        (void)file_out_write(out, escape, 2);
    } else if (c == 0x85 || c == 0xa0 || c == 0x2028 || c == 0x2029) {
        text_append(out, c == 0x85 ? "\\N" : c == 0xa0 ? "\\_" : c == 0x2028 ? "\\L" : "\\P");
    } else if (c < 0x20 || (c >= 0x7f && c < 0xa0) || c == 0xfeff || (c & 0xfffe) == 0xfffe) {
        bool small = c <= 0xff, middle = c <= 0xffff;
        text_append(out, small ? "\\x" : middle ? "\\u" : "\\U");
        yaml_write_hex_upper(out, c, small ? 2 : middle ? 4 : 8);
    } else {
        (void)file_out_write(out, p, n);
    }
}

void yaml_write_text(struct file_out *out, struct apf_str s)
{
    enum quotes quotes = quotes_of(s);
    const char *quote = quotes == PLAIN ? "" : quotes == SINGLE ? "'" : "\"";
    text_append(out, quote);
    if (quotes == PLAIN)
        (void)file_out_write(out, s.p, s.n);
    for (size_t i = 0, n; i < s.n && quotes != PLAIN; i += n) {
        uint32_t c = 0;
        n = utf8_decode(s.p + i, s.n - i, &c);
        if (n == 0) { /* as in LLVM, the rest is lost */
            text_append(out, "\xef\xbf\xbd");
            break;
        }
        if (quotes == DOUBLE)
            write_character(out, s.p + i, n, c);
        else
            (void)file_out_write(out, c == '\'' ? "''" : s.p + i, c == '\'' ? 2 : n);
    }
    text_append(out, quote);
}

void yaml_write_key(struct file_out *out, const char *indent, const char *key)
{
    size_t n = strlen(key);
    text_append(out, indent);
    text_append(out, key);
    text_append(out, ":");
    (void)file_out_write(out, YAML_PADDING, yaml_padding(n));
}

void yaml_write_number_line(struct file_out *out, const char *indent, const char *key, uint64_t v)
{
    yaml_write_key(out, indent, key);
    text_decimal(out, v, 0);
    text_append(out, "\n");
}

void yaml_write_text_line(struct file_out *out, const char *indent, const char *key, struct apf_str value)
{
    yaml_write_key(out, indent, key);
    yaml_write_text(out, value);
    text_append(out, "\n");
}
