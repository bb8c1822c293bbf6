/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Whether bytes are text, by the rule of LLVM's readers: printable ASCII and white space, without a locale. */
#ifndef BASE_TEXT_BYTES_H
#define BASE_TEXT_BYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <anyprof/error.h>

/* The bytes at the start of a file that decide whether it is text. */
#define TEXT_SNIFFED_BYTES ((size_t)8)

/* What readers say of a line of Windows, if LLVM refuses it. */
#define TEXT_CARRIAGE_RETURN "a carriage return: lines end with a line feed alone"

/* Whether all of p[0 .. n) are text; so are 0 bytes. */
static inline bool text_bytes(const void *p, size_t n)
{
    const uint8_t *s = p;
    for (size_t i = 0; i < n; i++)
        if (!((s[i] >= 0x20 && s[i] <= 0x7e) || (s[i] >= '\t' && s[i] <= '\r')))
            return false;
    return true;
}

/* Whether p[0 .. n) can be one word of a line: not empty, without blanks and control characters. */
static inline bool text_word(const void *p, size_t n)
{
    const uint8_t *s = p;
    for (size_t i = 0; i < n; i++)
        if (s[i] <= ' ' || s[i] == 0x7f)
            return false;
    return n > 0;
}

/* The length of the character at the start of n > 0 bytes if a terminal obeys it: a control character, or in UTF-8 one
 * of U+0080 to U+009F or a mark of direction (U+061C, U+200E, U+200F, U+202A to U+202E, U+2066 to U+2069). 0: another
 * one. */
static inline size_t text_control_length(const char *bytes, size_t n)
{
    const uint8_t *p = (const uint8_t *)bytes;
    if (p[0] < 0x20 || p[0] == 0x7f)
        return 1;
    if (n > 1 && ((p[0] == 0xc2 && p[1] >= 0x80 && p[1] < 0xa0) || (p[0] == 0xd8 && p[1] == 0x9c)))
        return 2;
    if (n < 3 || p[0] != 0xe2)
        return 0;
    bool mark = p[1] == 0x80 ? p[2] == 0x8e || p[2] == 0x8f || (p[2] >= 0xaa && p[2] <= 0xae)
                             : p[1] == 0x81 && p[2] >= 0xa6 && p[2] <= 0xa9;
    return mark ? 3 : 0;
}

/* Stores the escape of a byte, \xNN. */
#define TEXT_ESCAPE ((size_t)4)
static inline void text_store_escape(char *to, uint8_t c)
{
    static const char digits[] = "0123456789abcdef";
    to[0] = '\\';
    to[1] = 'x';
    to[2] = digits[c >> 4];
    to[3] = digits[c & 15];
}

/* Whether a file of n bytes looks like text; an empty one does. */
static inline bool text_file(const void *p, size_t n)
{
    return text_bytes(p, n < TEXT_SNIFFED_BYTES ? n : TEXT_SNIFFED_BYTES);
}

static inline bool text_equal(struct apf_str a, struct apf_str b)
{
    return a.n == b.n && (a.n == 0 || a.p == b.p || memcmp(a.p, b.p, a.n) == 0);
}

static inline bool text_is(struct apf_str text, const char *word)
{
    struct apf_str s = {word, strlen(word)};
    return text_equal(text, s);
}

static inline bool text_starts_with(struct apf_str text, const char *word)
{
    const size_t n = strlen(word);
    return text.n >= n && (n == 0 || memcmp(text.p, word, n) == 0);
}

/* What follows the last '/' of a path; all of it if there is none. */
static inline struct apf_str text_last_part(struct apf_str path)
{
    for (size_t i = path.n; i > 0; i--)
        if (path.p[i - 1] == '/') {
            struct apf_str part = {path.p + i, path.n - i};
            return part;
        }
    return path;
}

/* Whether n bytes contain a string; all contain an empty one. */
static inline bool text_contains(const char *p, size_t n, struct apf_str part)
{
    if (part.n == 0)
        return true;
    while (n >= part.n) {
        const char *first = (const char *)memchr(p, part.p[0], n - part.n + 1);
        if (!first)
            return false;
        if (memcmp(first, part.p, part.n) == 0)
            return true;
        n -= (size_t)(first - p) + 1;
        p = first + 1;
    }
    return false;
}

#endif
