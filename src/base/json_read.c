/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "base/json_read.h"

#include <string.h>

#include "base/error.h"
#include "base/json_write.h"
#include "base/number.h"
#include "base/utf8.h"

#define NO_CHARACTER UINT32_MAX
#define HIGH_SURROGATES 0xd800u
#define LOW_SURROGATES 0xdc00u
#define LAST_SURROGATE 0xdfffu

static bool is_blank(char c)
{
    return c == ' ' || c == '\n' || c == '\t' || c == '\r';
}

/* ---- errors ---- */

/* Fills in the error. Lines and columns (in characters) are counted only now. */
static void fail_at(struct json_reader *r, int code, const char *at, const char *detail)
{
    const char *line = r->base;
    uint32_t number = 1, column = 1;
    if (json_read_failed(r))
        return;
    for (const char *p = r->base; p < at; p++)
        if (*p == '\n') {
            line = p + 1;
            number += number < UINT32_MAX;
        }
    for (const char *p = line; p < at; p++)
        column += ((uint8_t)*p & 0xc0) != 0x80 && column < UINT32_MAX;
    r->code = code;
    error_set_column(r->error, code, r->where, (uint64_t)(at - r->base), number, column, detail);
}

void json_read_wrong(struct json_reader *r, int code, const char *detail)
{
    fail_at(r, code, r->token, detail);
}

void json_read_memory(struct json_reader *r)
{
    if (!json_read_failed(r))
        r->code = error_memory(r->error);
}

static void report_bad(struct json_reader *r, const char *at, const char *detail)
{
    fail_at(r, APF_BAD_JSON, at, at == r->end ? "the document ends here" : detail);
}

/* ---- structure ---- */

static void pass_blanks(struct json_reader *r)
{
    while (r->p < r->end && is_blank(*r->p))
        r->p++;
}

/* The next character that is no blank; '\0' at the end, and after an error. */
static char peek_char(struct json_reader *r)
{
    if (json_read_failed(r))
        return '\0';
    pass_blanks(r);
    r->token = r->p;
    return r->p < r->end ? *r->p : '\0';
}

static void open_with(struct json_reader *r, char brace, const char *detail)
{
    if (peek_char(r) == brace) {
        r->p++;
        r->comma = false;
    } else {
        report_bad(r, r->p, detail);
    }
}

/* Moves to the next entry of a container; false at its end. */
static bool next_entry(struct json_reader *r, char brace, const char *detail)
{
    char c = peek_char(r);
    if (json_read_failed(r))
        return false;
    if (c == brace) {
        r->p++;
        r->comma = true;
        return false;
    }
    if (r->comma && c != ',') {
        report_bad(r, r->p, detail);
        return false;
    }
    r->p += r->comma;
    r->comma = true;
    return true;
}

void json_read_object(struct json_reader *r)
{
    open_with(r, '{', "an object was expected");
}

void json_read_array(struct json_reader *r)
{
    open_with(r, '[', "an array was expected");
}

bool json_read_more(struct json_reader *r)
{
    if (r->code == APF_OK)
        r->code = pulse_check(r->pulse, r->n_entries++, r->error);
    return next_entry(r, ']', "a comma or ']' was expected");
}

bool json_read_key(struct json_reader *r, struct apf_str *key)
{
    if (!next_entry(r, '}', "a comma or '}' was expected"))
        return false;
    *key = json_read_string(r);
    const char *at = r->token;
    if (peek_char(r) == ':')
        r->p++;
    else
        report_bad(r, r->p, "a colon was expected");
    r->token = at;
    return !json_read_failed(r);
}

/* ---- strings ---- */

static bool push_level(struct json_reader *r, const void *p, size_t n)
{
    if (!VEC_RESERVE(&r->text, n)) {
        json_read_memory(r);
        return false;
    }
    if (n)
        memcpy(r->text.data + r->text.n, p, n);
    r->text.n += n;
    return true;
}

/* The number of "\uXXXX"; p points to the backslash. */
static uint32_t unicode_at(const char *p, const char *end)
{
    uint32_t c = 0;
    if (end - p < 6 || p[0] != '\\' || p[1] != 'u')
        return NO_CHARACTER;
    for (unsigned i = 2; i < 6; i++) {
        int digit = number_hex_digit(p[i]);
        if (digit < 0)
            return NO_CHARACTER;
        c = c << 4 | (uint32_t)digit;
    }
    return c;
}

static size_t store_utf8(uint8_t *to, uint32_t c)
{
    if (c < 0x80) {
        to[0] = (uint8_t)c;
        return 1;
    }
    size_t n = c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
    for (size_t i = n; i-- > 1; c >>= 6)
        to[i] = (uint8_t)(0x80 | (c & 0x3f));
    to[0] = (uint8_t)((n == 2 ? 0xc0 : n == 3 ? 0xe0 : 0xf0) | c);
    return n;
}

/* Reads "\uXXXX", which may be one half of a pair, or a byte. */
static void read_unicode(struct json_reader *r)
{
    uint8_t bytes[4];
    uint32_t c = unicode_at(r->p, r->end), low = NO_CHARACTER;
    if (c >= HIGH_SURROGATES && c < LOW_SURROGATES)
        low = unicode_at(r->p + 6, r->end);
    bool pair = low >= LOW_SURROGATES && low <= LAST_SURROGATE;
    bool byte = c >= LOW_SURROGATES + 0x80 && c <= LOW_SURROGATES + 0xff;
    size_t n = 1;
    if (c == NO_CHARACTER || (c >= HIGH_SURROGATES && c <= LAST_SURROGATE && !pair && !byte)) {
        report_bad(r, r->p,
                   c == NO_CHARACTER ? "four hexadecimal digits were expected" : "half of a surrogate pair");
        return;
    }
    if (pair)
        c = 0x10000 + ((c - HIGH_SURROGATES) << 10) + (low - LOW_SURROGATES);
    if (byte)
        bytes[0] = (uint8_t)c;
    else
        n = store_utf8(bytes, c);
    if (push_level(r, bytes, n))
        r->p += pair ? 12 : 6;
}

static void read_escape(struct json_reader *r)
{
    static const char letters[] = "\"\\/bfnrt", meant[] = "\"\\/\b\f\n\r\t";
    char c = r->end - r->p > 1 ? r->p[1] : '\0';
    const char *found = c ? strchr(letters, c) : NULL;
    if (c == 'u')
        read_unicode(r);
    else if (!found)
        report_bad(r, r->end - r->p > 1 ? r->p : r->end, "there is no such escape");
    else if (push_level(r, &meant[found - letters], 1))
        r->p += 2;
}

/* Passes the characters from r->p to the first that ends the string or needs decoding. */
static struct apf_str plain_run(struct json_reader *r)
{
    const char *p = r->p;
    uint8_t seen = 0; /* all bits that occur */
    for (; p < r->end && *p != '"' && *p != '\\' && (uint8_t)*p >= 0x20; p++)
        seen |= (uint8_t)*p;
    struct apf_str run = {r->p, (size_t)(p - r->p)};
    if (seen & 0x80 && !utf8_valid(run))
        report_bad(r, r->p, "this string is no UTF-8");
    else if (p == r->end || (uint8_t)*p < 0x20)
        report_bad(r, p, "a control character in a string");
    r->p = p;
    return run;
}

struct apf_str json_read_string(struct json_reader *r)
{
    struct apf_str nothing = {"", 0};
    if (peek_char(r) != '"') {
        report_bad(r, r->p, "a string was expected");
        return nothing;
    }
    r->p++;
    r->text.n = 0;
    struct apf_str run = plain_run(r);
    if (!json_read_failed(r) && *r->p == '"') { /* most strings have no escapes */
        r->p++;
        return run;
    }
    while (!json_read_failed(r) && push_level(r, run.p, run.n)) {
        if (*r->p == '"')
            break;
        read_escape(r);
        run.n = 0;
        if (!json_read_failed(r))
            run = plain_run(r);
    }
    if (json_read_failed(r))
        return nothing;
    r->p++;
    struct apf_str text = {r->text.n ? r->text.data : "", r->text.n};
    return text;
}

/* ---- other values ---- */

static const char *pass_digits(const char *p, const char *end)
{
    while (p < end && *p >= '0' && *p <= '9')
        p++;
    return p;
}

/* The end of the number at p; NULL: there is no number. */
static const char *number_end(const char *p, const char *end)
{
    p += p < end && *p == '-';
    const char *start = p;
    p = pass_digits(p, end);
    if (p == start || (p - start > 1 && *start == '0'))
        return NULL;
    if (p < end && *p == '.') {
        start = ++p;
        p = pass_digits(p, end);
        if (p == start)
            return NULL;
    }
    if (p < end && (*p == 'e' || *p == 'E')) {
        p++;
        p += p < end && (*p == '+' || *p == '-');
        start = p;
        p = pass_digits(p, end);
        if (p == start)
            return NULL;
    }
    return p;
}

/* Parses digits: decimal or, in a string, hexadecimal after 0x. */
static bool parse_digits(struct apf_str s, bool quoted, uint64_t *v)
{
    if (quoted && s.n > 2 && s.p[0] == '0' && s.p[1] == 'x')
        return number_auto(s.p, s.n, v);
    return number_decimal(s.p, s.n, v);
}

/* Reads a number, or a string that holds one. False when it is not a whole number of 64 bits; *minus: a sign comes
 * before the digits. */
static bool read_number(struct json_reader *r, bool *minus, uint64_t *v)
{
    const char *at;
    struct apf_str digits;
    bool quoted = peek_char(r) == '"';
    at = r->token;
    *minus = false;
    *v = 0;
    if (quoted) {
        digits = json_read_string(r);
        r->token = at;
    } else {
        const char *end = json_read_failed(r) ? NULL : number_end(r->p, r->end);
        if (!end) {
            report_bad(r, r->p, "a number was expected");
            return false;
        }
        digits.p = r->p;
        digits.n = (size_t)(end - r->p);
        r->p = end;
    }
    *minus = digits.n && digits.p[0] == '-';
    digits.p += *minus;
    digits.n -= *minus;
    return parse_digits(digits, quoted, v);
}

uint64_t json_read_u64(struct json_reader *r, uint64_t most)
{
    uint64_t v;
    bool minus, good = read_number(r, &minus, &v) && !minus;
    if (good && v <= most)
        return v;
    json_read_wrong(r, APF_BAD_JSON,
                    good ? "the number is too large" : "this is no whole number from 0 to 2^64-1");
    return 0;
}

int64_t json_read_i64(struct json_reader *r)
{
    uint64_t v;
    bool minus, good = read_number(r, &minus, &v) && v <= (uint64_t)INT64_MAX + minus;
    if (good)
        return (int64_t)(minus ? 0 - v : v);
    json_read_wrong(r, APF_BAD_JSON, "this is no whole number from -2^63 to 2^63-1");
    return 0;
}

static bool read_word(struct json_reader *r, const char *word)
{
    size_t n = strlen(word);
    if (peek_char(r) != *word || (size_t)(r->end - r->p) < n || memcmp(r->p, word, n) != 0)
        return false;
    r->p += n;
    return true;
}

bool json_read_null(struct json_reader *r)
{
    return read_word(r, "null");
}

bool json_read_bool(struct json_reader *r)
{
    if (read_word(r, "true"))
        return true;
    if (!read_word(r, "false"))
        report_bad(r, r->p, "true or false was expected");
    return false;
}

static void skip_plain(struct json_reader *r)
{
    char c = peek_char(r);
    const char *end = number_end(r->p, r->end);
    if (c == '"')
        (void)json_read_string(r);
    else if (!json_read_failed(r) && end)
        r->p = end;
    else if (!read_word(r, "true") && !read_word(r, "false") && !read_word(r, "null"))
        report_bad(r, r->p, "a value was expected");
}

void json_read_skip(struct json_reader *r)
{
    uint64_t objects = 0; /* bit i: level i is an object */
    unsigned depth = 0;
    bool value = true; /* a value comes next */
    while (!json_read_failed(r)) {
        char c = value ? peek_char(r) : '\0';
        if (value && (c == '{' || c == '[')) {
            if (depth == JSON_MAX_DEPTH) {
                fail_at(r, APF_BAD_JSON, r->token, "nested more than 64 deep");
                return;
            }
            uint64_t bit = (uint64_t)1 << depth++;
            objects = c == '{' ? objects | bit : objects & ~bit;
            open_with(r, c, NULL);
        } else if (value) {
            skip_plain(r);
        }
        if (depth == 0)
            return;
        struct apf_str key;
        value = objects >> (depth - 1) & 1 ? json_read_key(r, &key) : json_read_more(r);
        depth -= !value;
        if (depth == 0)
            return;
    }
}

/* ---- the document ---- */

void json_read_start(struct json_reader *r, const void *data, size_t n, struct apf_error *error)
{
    memset(r, 0, sizeof *r);
    r->base = r->p = r->token = n ? (const char *)data : "";
    r->end = r->base + n;
    r->where = "json";
    r->error = error;
}

int json_read_finish(struct json_reader *r)
{
    if (!json_read_failed(r)) {
        pass_blanks(r);
        if (r->p < r->end)
            report_bad(r, r->p, "more text follows the document");
    }
    VEC_FREE(&r->text);
    return r->code;
}

bool json_read_is_object(const void *data, size_t n)
{
    const char *p = (const char *)data;
    size_t at = 0;
    while (at < n && is_blank(p[at]))
        at++;
    if (at == n || p[at] != '{')
        return false;
    for (at++; at < n && is_blank(p[at]);)
        at++;
    return at < n && (p[at] == '"' || p[at] == '}');
}
