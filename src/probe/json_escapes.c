/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "probe/json_escapes.h"

#include <string.h>

#include "base/error.h"

#define CHARACTERS 0x10000u
#define NONE UINT32_MAX
#define FIRST_BYTE 0xdc80u /* of the surrogates that stand for bytes 0x80 to 0xff */
#define LAST_BYTE 0xdcffu
#define USED 1 /* in the table: the text has this character */

static bool is_surrogate(uint32_t c)
{
    return c >= 0xd800 && c <= 0xdfff;
}

static uint32_t digit(char c)
{
    if (c >= '0' && c <= '9')
        return (uint32_t)(c - '0');
    c |= 0x20;
    return c >= 'a' && c <= 'f' ? (uint32_t)(c - 'a') + 10 : NONE;
}

/* The character of "\uXXXX"; NONE: this is something else. */
static uint32_t unicode_at(const char *p, const char *end)
{
    uint32_t c = 0;
    if (end - p < 6 || p[0] != '\\' || p[1] != 'u')
        return NONE;
    for (unsigned i = 2; i < 6; i++) {
        uint32_t v = digit(p[i]);
        if (v == NONE)
            return NONE;
        c = c << 4 | v;
    }
    return c;
}

/* How long the escape at a backslash is; a pair of surrogates is one. */
static size_t escape_at(const char *p, const char *end, uint32_t *c)
{
    *c = unicode_at(p, end);
    if (*c == NONE)
        return end - p < 2 ? 1 : 2;
    uint32_t low = *c >= 0xd800 && *c < 0xdc00 ? unicode_at(p + 6, end) : NONE;
    if (low == NONE || low < 0xdc00 || low > 0xdfff)
        return 6;
    *c = NONE;
    return 12;
}

static bool is_byte(uint32_t c)
{
    return c >= FIRST_BYTE && c <= LAST_BYTE;
}

/* The next escape that stands for a byte; NULL: there is none. */
static char *next_byte(char *p, const char *end, uint8_t *byte)
{
    while (p < end && (p = (char *)memchr(p, '\\', (size_t)(end - p)))) {
        uint32_t c;
        size_t n = escape_at(p, end, &c);
        *byte = (uint8_t)c;
        if (is_byte(c))
            return p;
        p += n;
    }
    return NULL;
}

/* The character that begins here, in two or three bytes of UTF-8; NONE: something else does. */
static uint32_t character_at(const char *text, const char *end, size_t *n)
{
    const uint8_t *p = (const uint8_t *)text;
    *n = 1;
    if (*p >= 0xc0 && *p < 0xe0 && end - text >= 2) {
        *n = 2;
        return (p[0] & 0x1fu) << 6 | (p[1] & 0x3fu);
    }
    if (*p >= 0xe0 && *p < 0xf0 && end - text >= 3) {
        *n = 3;
        return (p[0] & 0x0fu) << 12 | (p[1] & 0x3fu) << 6 | (p[2] & 0x3fu);
    }
    return NONE;
}

static void mark_used(uint8_t *table, const char *p, const char *end)
{
    while (p < end) {
        uint32_t c;
        size_t n;
        if (*p == '\\')
            n = escape_at(p, end, &c);
        else
            c = character_at(p, end, &n);
        if (c != NONE)
            table[c] = USED;
        p += n;
    }
}

/* A character for each byte, first of those for private use. */
static bool choose(uint8_t *table, uint16_t chosen[128])
{
    unsigned n = 0;
    for (uint32_t i = 0; i < CHARACTERS && n < 128; i++) {
        uint32_t c = (0xf700 + i) % CHARACTERS;
        if (c < 0x80 || is_surrogate(c) || table[c])
            continue;
        table[c] = (uint8_t)(0x80 + n);
        chosen[n++] = (uint16_t)c;
    }
    return n == 128;
}

int json_escapes_hide(struct json_escapes *e, const char **text, size_t n, struct apf_error *error)
{
    static const char digits[] = "0123456789abcdef";
    uint16_t chosen[128];
    uint8_t byte;
    const char *end = *text + n;
    if (!next_byte((char *)(uintptr_t)*text, end, &byte))
        return APF_OK;
    e->bytes = arena_bytes(&e->arena, CHARACTERS);
    char *copy = arena_bytes(&e->arena, n);
    if (!e->bytes || !copy)
        return error_memory(error);
    memset(e->bytes, 0, CHARACTERS);
    mark_used(e->bytes, *text, end);
    if (!choose(e->bytes, chosen))
        return error_plain(error, APF_BAD_JSON, "json",
                           "too many different characters, and bytes that are none");
    memcpy(copy, *text, n);
    for (char *p = copy; (p = next_byte(p, copy + n, &byte)); p += 6)
        for (unsigned i = 0; i < 4; i++)
            p[2 + i] = digits[chosen[byte - 0x80] >> (12 - 4 * i) & 15];
    *text = copy;
    return APF_OK;
}

struct apf_str json_escapes_show(struct json_escapes *e, struct apf_str text)
{
    const char *p = text.p, *end = text.p + text.n;
    if (!e || !e->bytes)
        return text;
    char *to = arena_bytes(&e->arena, text.n + 1);
    struct apf_str shown = {to, 0};
    while (to && p < end) {
        size_t n;
        uint32_t c = character_at(p, end, &n);
        if (c != NONE && e->bytes[c] >= 0x80) {
            to[shown.n++] = (char)e->bytes[c];
        } else {
            memcpy(to + shown.n, p, n);
            shown.n += n;
        }
        p += n;
    }
    if (to)
        to[shown.n] = '\0';
    return shown;
}

void json_escapes_free(struct json_escapes *e)
{
    arena_free(&e->arena);
    e->bytes = NULL;
}
