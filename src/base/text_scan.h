/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Reads numbers and words from the beginning of a line that is in memory. */
#ifndef BASE_TEXT_SCAN_H
#define BASE_TEXT_SCAN_H

#include <string.h>

#include "base/number.h"

/* What is left of a line. */
struct text_scan {
    const char *p, *end;
};

static inline bool text_is_blank(char c)
{
    return c == ' ' || c == '\t';
}

static inline bool scan_at_end(const struct text_scan *s)
{
    return s->p == s->end;
}

/* Passes blanks and tabs, if any. */
static inline void scan_blanks(struct text_scan *s)
{
    while (s->p < s->end && text_is_blank(*s->p))
        s->p++;
}

/* Drops blanks, tabs and carriage returns at the end, if any. */
static inline void scan_trim(struct text_scan *s)
{
    while (s->end > s->p && (text_is_blank(s->end[-1]) || s->end[-1] == '\r'))
        s->end--;
}

/* The end of the word that begins here. */
static inline const char *scan_word_end(const struct text_scan *s)
{
    const char *p = s->p;
    while (p < s->end && !text_is_blank(*p))
        p++;
    return p;
}

static inline bool scan_begins(const struct text_scan *s, const char *text)
{
    size_t n = strlen(text);
    return (size_t)(s->end - s->p) >= n && memcmp(s->p, text, n) == 0;
}

/* Passes a text that has to come next. */
static inline bool scan_text(struct text_scan *s, const char *text)
{
    bool there = scan_begins(s, text);
    s->p += there ? strlen(text) : 0;
    return there;
}

/* Moves after the next place where a text stands, which is not empty. False: there is none, and p stays. */
static inline bool scan_after(struct text_scan *s, const char *text)
{
    const size_t n = strlen(text);
    for (const char *p = s->p; (size_t)(s->end - p) >= n; p++) {
        p = (const char *)memchr(p, text[0], (size_t)(s->end - p) - n + 1);
        if (!p)
            return false;
        if (memcmp(p, text, n) == 0) {
            s->p = p + n;
            return true;
        }
    }
    return false;
}

/* Reads hexadecimal digits. False: there are none, or a number of more than 64 bits; p stands at the error. */
static inline bool scan_hex(struct text_scan *s, uint64_t *number)
{
    const char *p = s->p;
    uint64_t v = 0;
    uint8_t digit;
    for (; p < s->end && (digit = number_digits[(uint8_t)*p]) != 0 && v >> 60 == 0; p++)
        v = v << 4 | (unsigned)(digit - 1);
    bool good = p > s->p && (p == s->end || !number_digits[(uint8_t)*p]);
    s->p = p;
    *number = v;
    return good;
}

/* Reads decimal digits. False: there are none, or a number above `most`; p stands at the error. */
static inline bool scan_decimal(struct text_scan *s, uint64_t most, uint64_t *number)
{
    const char *p = s->p;
    uint64_t v = 0;
    bool fits = true;
    for (; fits && p < s->end && number_is_digit(*p); p++) {
        uint64_t digit = (uint64_t)(*p - '0');
        fits = digit <= most && v <= (most - digit) / 10;
        v = fits ? 10 * v + digit : v;
    }
    bool good = fits && p > s->p;
    s->p = fits ? p : p - 1;
    *number = v;
    return good;
}

#endif
