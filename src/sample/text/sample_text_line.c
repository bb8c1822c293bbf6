/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "sample/text/sample_text_line.h"

#include <string.h>

#include "base/compiler.h"
#include "base/number.h"
#include "sample/layout/sample_layout.h"

/* ---- numbers ---- */

#define SAFE_DIGITS 19 /* digits that cannot overflow 64 bits */

/* Parses the digits at p. Returns their end; p: there are none, or the number is above 2^64-1. */
static inline const char *parse_digits(const char *p, const char *end, uint64_t *number)
{
    const char *s = p, *safe = end - p > SAFE_DIGITS ? p + SAFE_DIGITS : end;
    uint64_t v = 0;
    for (; s < safe && number_is_digit(*s); s++)
        v = 10 * v + (uint64_t)(*s - '0');
    for (; UNLIKELY(s < end && number_is_digit(*s)); s++)
        if (MUL_OVERFLOWS(v, 10, &v) || ADD_OVERFLOWS(v, (uint64_t)(*s - '0'), &v))
            return p;
    *number = v;
    return s;
}

/* Parses all of [p, end) as a number. On failure l->bad is the first byte that is wrong. */
static inline bool parse_number(struct sample_text_line *l, const char *p, const char *end, uint64_t *number)
{
    l->bad = parse_digits(p, end, number);
    return l->bad == end && p != end;
}

/* The last byte `c` of [p, end); NULL: none. */
static const char *find_last(const char *p, const char *end, char c)
{
    while (end > p)
        if (*--end == c)
            return end;
    return NULL;
}

static const char *find_byte(const char *p, const char *end, char c)
{
    return p < end ? (const char *)memchr(p, c, (size_t)(end - p)) : NULL;
}

/* ---- headers ---- */

/* LLVM's code for a line without two colons does this, too: with none, the whole line is the name and both numbers;
 * with one only, the whole line is the name, and the numbers are before and after the colon, or after it if nothing is
 * before it. */
static bool parse_odd_header(struct sample_text_line *l, const char *p, const char *colon)
{
    const char *end = l->end;
    if (colon == p) {
        l->name.n = 0;
        return parse_number(l, p + 1, end, &l->count) && parse_number(l, p + 1, end, &l->head);
    }
    return parse_number(l, p, colon ? colon : end, &l->count) &&
           parse_number(l, colon ? colon + 1 : p, end, &l->head);
}

bool sample_text_header(struct sample_text_line *l, const char *p, const char *end)
{
    l->kind = SAMPLE_TEXT_HEADER;
    l->depth = 0;
    l->end = end;
    l->bad = p;
    l->most = 0;
    if (*p == ' ')
        return false;
    const char *second = find_last(p, end, ':'), *first = second ? find_last(p, second, ':') : NULL;
    l->name.p = p;
    l->name.n = (size_t)((first ? first : end) - p);
    if (!first)
        return parse_odd_header(l, p, second);
    return parse_number(l, first + 1, second, &l->count) && parse_number(l, second + 1, end, &l->head);
}

/* ---- contexts ---- */

/* LLVM reads the line as a signed number of 32 bits, and anything else as 0. */
static uint32_t parse_frame_line(const char *p, const char *end)
{
    uint64_t v = 0;
    bool negative = p < end && *p == '-';
    p += negative;
    if (p == end || parse_digits(p, end, &v) != end || v > (uint64_t)INT32_MAX + negative)
        return 0;
    return negative ? (uint32_t)(0 - v) : (uint32_t)v;
}

/* The place of a call, from after the colon of a frame. */
static uint64_t parse_frame_place(const char *p, const char *end)
{
    const char *dot = find_byte(p, end, '.');
    uint64_t discriminator = 0;
    uint32_t line = parse_frame_line(p, dot ? dot : end);
    if (dot && (dot + 1 == end || parse_digits(dot + 1, end, &discriminator) != end))
        discriminator = 0;
    return (uint64_t)line << 32 | (discriminator > UINT32_MAX ? 0 : discriminator);
}

/* The end of the first frame: the first " @ ", or the end. */
static const char *find_frame_end(const char *p, const char *end)
{
    for (const char *at = find_byte(p, end, '@'); at; at = find_byte(at + 1, end, '@'))
        if (at > p && at[-1] == ' ' && end - at > 1 && at[1] == ' ')
            return at - 1;
    return end;
}

void sample_text_frame(struct apf_str *frames, struct apf_str *name, uint64_t *at)
{
    const size_t separator = 3;
    const char *p = frames->p, *end = p + frames->n, *frame_end = find_frame_end(p, end);
    const char *colon = find_byte(p, frame_end, ':');
    name->p = p;
    name->n = (size_t)((colon ? colon : frame_end) - p);
    *at = colon ? parse_frame_place(colon + 1, frame_end) : 0;
    frames->p = frame_end == end ? end : frame_end + separator;
    frames->n = (size_t)(end - frames->p);
}

/* ---- metadata ---- */

static bool is_space(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

/* Whether [*p, end) begins with a word, after which *p moves. */
static bool skip_word(const char **p, const char *end, const char *word)
{
    size_t n = strlen(word);
    if ((size_t)(end - *p) < n || memcmp(*p, word, n) != 0)
        return false;
    *p += n;
    return true;
}

static bool parse_metadata(struct sample_text_line *l, const char *p)
{
    const char *end = l->end;
    l->kind = SAMPLE_TEXT_FLAT;
    l->bad = p;
    if (end - p == 5 && memcmp(p, "!Flat", 5) == 0)
        return l->depth == 1;
    if (skip_word(&p, end, "!CFGChecksum:"))
        l->kind = SAMPLE_TEXT_CHECKSUM;
    else if (skip_word(&p, end, "!Attributes:"))
        l->kind = SAMPLE_TEXT_ATTRIBUTES;
    else
        return false;
    while (p < end && is_space(*p))
        p++;
    while (end > p && is_space(end[-1]))
        end--;
    if (!parse_number(l, p, end, &l->count))
        return false;
    if (l->kind == SAMPLE_TEXT_ATTRIBUTES && l->count > UINT32_MAX) {
        l->most = UINT32_MAX;
        l->bad = p;
        return false;
    }
    return true;
}

/* ---- lines with a place ---- */

/* Parses OFF[.DISC]. NULL: an error; else its end, where a colon or the end of the line is. */
static const char *parse_place(struct sample_text_line *l, const char *p)
{
    const char *end = l->end;
    uint64_t line = 0, discriminator = 0;
    const char *s = parse_digits(p, end, &line);
    l->bad = s;
    if (s == p || line > UINT32_MAX)
        return NULL;
    if (s < end && *s == '.') {
        const char *digits = s + 1;
        l->bad = s = parse_digits(digits, end, &discriminator);
        if (s == digits || discriminator > UINT32_MAX)
            return NULL;
    } else if (line > SAMPLE_MAX_LINE) {
        l->count = line;
        l->most = SAMPLE_MAX_LINE;
        l->bad = p;
        return NULL;
    }
    l->at = line << 32 | discriminator;
    return s == end || *s == ':' ? s : NULL;
}

/* Parses the count of a body line. */
static bool parse_count(struct sample_text_line *l, const char *p)
{
    l->kind = SAMPLE_TEXT_BODY;
    l->bad = l->rest = parse_digits(p, l->end, &l->count);
    return l->rest != p && (l->rest == l->end || *l->rest == ' ');
}

/* A name that is a hash. LLVM cannot read such a line back, since a digit there begins a count. */
static bool parse_hash_inlined(struct sample_text_line *l, const char *p)
{
    const char *s = sample_text_hash_end(p, l->end);
    if (!s || s == l->end || *s != ':')
        return false;
    l->kind = SAMPLE_TEXT_INLINED;
    l->name.p = p;
    l->name.n = (size_t)(s - p);
    return parse_number(l, s + 1, l->end, &l->count);
}

static bool parse_inlined(struct sample_text_line *l, const char *p)
{
    const char *colon = find_last(p, l->end, ':');
    l->kind = SAMPLE_TEXT_INLINED;
    l->name.p = p;
    l->name.n = colon ? (size_t)(colon - p) : 0;
    l->bad = p;
    return colon && parse_number(l, colon + 1, l->end, &l->count);
}

/* Parses what is after the place of a line. */
static bool parse_after_place(struct sample_text_line *l, const char *p)
{
    if (LIKELY(p < l->end && number_is_digit(*p)))
        return parse_count(l, p) || parse_hash_inlined(l, p);
    if (skip_word(&p, l->end, "vtables ")) {
        l->kind = SAMPLE_TEXT_VTABLES;
        l->rest = p;
        return true;
    }
    return parse_inlined(l, p);
}

bool sample_text_indented(struct sample_text_line *l, size_t depth, const char *p, const char *end)
{
    l->kind = SAMPLE_TEXT_BODY;
    l->depth = depth;
    l->end = end;
    l->most = 0;
    if (*p == '!')
        return parse_metadata(l, p);
    const char *colon = parse_place(l, p);
    if (!colon)
        return false;
    if (UNLIKELY(end - colon < 2)) /* LLVM reads " 5" as " 5: 5" */
        return colon == end && l->depth == 1 && parse_count(l, p);
    return parse_after_place(l, colon + 2);
}

bool sample_text_old_body(struct sample_text_line *l, const char *p, const char *end)
{
    l->kind = SAMPLE_TEXT_BODY;
    l->depth = 0;
    l->end = end;
    l->most = 0;
    const char *colon = parse_place(l, p);
    return colon && end - colon >= 2 && colon[1] == ' ' && parse_count(l, colon + 2);
}

/* ---- targets and vtables ---- */

bool sample_text_target(struct sample_text_line *l, struct apf_str *name, uint64_t *count, bool *more)
{
    const char *p = l->rest, *end = l->end;
    *more = p < end;
    while (p < end && *p == ' ')
        p++;
    name->p = p;
    l->bad = p;
    const char *colon = find_byte(p, end, ':');
    if (colon == p)
        return false;
    while (colon) {
        const char *digits = colon + 1, *s = parse_digits(digits, end, count);
        if (s != digits && (s == end || *s == ' ')) {
            name->n = (size_t)(colon - p);
            l->rest = s;
            return true;
        }
        l->bad = s;
        colon = find_byte(s, end, ':');
    }
    return !*more;
}

bool sample_text_vtable(struct sample_text_line *l, struct apf_str *name, uint64_t *count, bool *more)
{
    const char *p = l->rest, *end = l->end;
    while (p < end && *p == ' ')
        p++;
    *more = p < end;
    const char *colon = find_byte(p, end, ':');
    l->bad = p;
    if (!colon)
        return !*more;
    const char *digits = colon + 1;
    name->p = p;
    name->n = (size_t)(colon - p);
    l->bad = l->rest = parse_digits(digits, end, count);
    return l->rest != digits && (l->rest == end || *l->rest == ' ');
}
