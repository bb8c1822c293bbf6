/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "base/json_write.h"

#include <errno.h>
#include <string.h>

#include "base/decimal.h"
#include "base/double_text.h"
#include "base/error.h"
#include "base/text_bytes.h"
#include "base/utf8.h"

static const char letters[] = "0123456789abcdef";

static void flush_buffer(struct json_writer *w)
{
    if (w->code == APF_OK && w->n) {
        w->sys_errno = w->write(w->user, w->buffer, w->n);
        if (w->sys_errno)
            w->code = APF_IO;
    }
    w->n = 0;
}

static void append_bytes(struct json_writer *w, const void *p, size_t n)
{
    const char *from = (const char *)p;
    while (n) {
        size_t room = sizeof w->buffer - w->n, part = n < room ? n : room;
        memcpy(w->buffer + w->n, from, part);
        w->n += part;
        from += part;
        n -= part;
        if (w->n == sizeof w->buffer)
            flush_buffer(w);
    }
}

static void append_char(struct json_writer *w, char c)
{
    append_bytes(w, &c, 1);
}

static void report_misuse(struct json_writer *w, const char *wrong)
{
    w->code = APF_ARGUMENT;
    w->wrong = wrong;
}

/* ---- structure ---- */

static bool in_object(const struct json_writer *w)
{
    return w->depth > 0 && (w->objects >> (w->depth - 1) & 1);
}

static bool on_one_line(const struct json_writer *w)
{
    return !w->indent || (w->line && w->depth >= w->line);
}

static void new_line(struct json_writer *w)
{
    append_char(w, '\n');
    for (uint64_t i = (uint64_t)w->depth * w->indent; i > 0; i--)
        append_char(w, ' ');
}

/* Starts an entry of the open container: a key, or a value of an array. */
static void next_entry(struct json_writer *w)
{
    if (w->comma)
        append_char(w, ',');
    if (w->depth && !on_one_line(w))
        new_line(w);
    else if (w->line && w->comma)
        append_char(w, ' ');
    w->comma = true;
}

/* Starts a value; false where none is allowed. */
static bool next_value(struct json_writer *w)
{
    if (json_failed(w))
        return false;
    if (in_object(w)) {
        if (!w->has_key)
            report_misuse(w, "a value without a key");
        w->has_key = false;
    } else if (w->depth == 0 && w->comma) {
        report_misuse(w, "a second document");
    } else {
        next_entry(w);
    }
    return !json_failed(w);
}

static void open_level(struct json_writer *w, bool object)
{
    if (!json_failed(w) && w->depth == JSON_MAX_DEPTH)
        w->code = APF_LIMIT;
    if (!next_value(w))
        return;
    uint64_t bit = (uint64_t)1 << w->depth++;
    w->objects = object ? w->objects | bit : w->objects & ~bit;
    w->comma = false;
    append_char(w, object ? '{' : '[');
}

static void close_level(struct json_writer *w, bool object)
{
    if (json_failed(w))
        return;
    if (w->depth == 0 || in_object(w) != object || w->has_key) {
        report_misuse(w, w->has_key ? "a key without a value" : "an end without its beginning");
        return;
    }
    bool line = on_one_line(w);
    if (w->line == w->depth)
        w->line = 0;
    w->depth--;
    if (w->comma && !line)
        new_line(w);
    w->comma = true;
    append_char(w, object ? '}' : ']');
}

void json_object_begin(struct json_writer *w)
{
    open_level(w, true);
}

void json_line_object(struct json_writer *w)
{
    open_level(w, true);
    if (w->indent && !w->line)
        w->line = w->depth;
}

void json_object_end(struct json_writer *w)
{
    close_level(w, true);
}

void json_array_begin(struct json_writer *w)
{
    open_level(w, false);
}

void json_array_end(struct json_writer *w)
{
    close_level(w, false);
}

/* ---- strings ---- */

static void append_unicode(struct json_writer *w, unsigned v)
{
    char text[6] = {'\\', 'u', letters[v >> 12], letters[v >> 8 & 15], letters[v >> 4 & 15], letters[v & 15]};
    append_bytes(w, text, sizeof text);
}

/* The number of bytes at p that are ASCII and need no escape. */
static size_t plain_length(const uint8_t *p, size_t n)
{
    size_t i = 0;
    while (i < n && p[i] >= 0x20 && p[i] < 0x7f && p[i] != '"' && p[i] != '\\')
        i++;
    return i;
}

/* Appends one character, or one byte that is part of none; returns its length. */
static size_t append_character(struct json_writer *w, const uint8_t *p, size_t n)
{
    uint32_t c;
    size_t length = utf8_decode(p, n, &c);
    if (length == 0) {
        append_unicode(w, w->lossy ? 0xfffdu : 0xdc00u + *p);
        return 1;
    }
    if (text_control_length((const char *)p, n)) { /* so that JSON on a terminal is JSON */
        append_unicode(w, c);
    } else {
        if (*p == '"' || *p == '\\')
            append_char(w, '\\');
        append_bytes(w, p, length);
    }
    return length;
}

static void append_string(struct json_writer *w, const uint8_t *p, size_t n)
{
    append_char(w, '"');
    while (n) {
        size_t length = plain_length(p, n);
        if (length)
            append_bytes(w, p, length);
        else
            length = append_character(w, p, n);
        p += length;
        n -= length;
    }
    append_char(w, '"');
}

void json_key_bytes(struct json_writer *w, const void *p, size_t n)
{
    if (json_failed(w))
        return;
    if (!in_object(w) || w->has_key) {
        report_misuse(w, w->has_key ? "a key without a value" : "a key outside of an object");
        return;
    }
    next_entry(w);
    w->has_key = true;
    append_string(w, (const uint8_t *)p, n);
    append_bytes(w, ": ", w->indent ? 2 : 1);
}

void json_key(struct json_writer *w, const char *key)
{
    json_key_bytes(w, key, strlen(key));
}

void json_bytes(struct json_writer *w, const void *p, size_t n)
{
    if (next_value(w))
        append_string(w, (const uint8_t *)p, n);
}

void json_text(struct json_writer *w, const void *p, size_t n)
{
    w->lossy = true;
    json_bytes(w, p, n);
    w->lossy = false;
}

void json_key_text(struct json_writer *w, const void *p, size_t n)
{
    w->lossy = true;
    json_key_bytes(w, p, n);
    w->lossy = false;
}

void json_digits(struct json_writer *w, const void *p, size_t n)
{
    const uint8_t *s = (const uint8_t *)p;
    if (!next_value(w))
        return;
    append_char(w, '"');
    for (size_t i = 0; i < n; i++) {
        char pair[2] = {letters[s[i] >> 4], letters[s[i] & 15]};
        append_bytes(w, pair, sizeof pair);
    }
    append_char(w, '"');
}

void json_cstring(struct json_writer *w, const char *s)
{
    json_bytes(w, s, strlen(s));
}

/* ---- other values ---- */

static void append_decimal(struct json_writer *w, uint64_t v)
{
    uint8_t text[DECIMAL_MAX];
    append_bytes(w, text, decimal_store(text, v));
}

/* The largest number up to which a double holds every whole number. */
#define MOST_EXACT ((uint64_t)1 << 53)

/* Appends the quote before or after a number that is a string because it is above MOST_EXACT. */
static void append_quote(struct json_writer *w, bool quoted)
{
    if (quoted)
        append_char(w, '"');
}

void json_u64(struct json_writer *w, uint64_t v)
{
    if (!next_value(w))
        return;
    append_quote(w, v > MOST_EXACT);
    append_decimal(w, v);
    append_quote(w, v > MOST_EXACT);
}

void json_i64(struct json_writer *w, int64_t v)
{
    if (!next_value(w))
        return;
    uint64_t size = v < 0 ? 0 - (uint64_t)v : (uint64_t)v;
    append_quote(w, size > MOST_EXACT);
    if (v < 0)
        append_char(w, '-');
    append_decimal(w, size);
    append_quote(w, size > MOST_EXACT);
}

void json_hex(struct json_writer *w, uint64_t v)
{
    if (!next_value(w))
        return;
    uint8_t text[HEX_MAX];
    append_bytes(w, "\"0x", 3);
    append_bytes(w, text, hex_store(text, v));
    append_char(w, '"');
}

void json_hash(struct json_writer *w, uint64_t v)
{
    static const char zeros[] = "\"0x000000000000000";
    if (!next_value(w))
        return;
    uint8_t text[HEX_MAX];
    size_t n = hex_store(text, v);
    append_bytes(w, zeros, 3 + HEX_MAX - n);
    append_bytes(w, text, n);
    append_char(w, '"');
}

/* Writes the n digits of a number; 0: it is not finite. */
static void write_number(struct json_writer *w, bool negative, const char *digits, size_t n, bool quoted)
{
    if (!next_value(w))
        return;
    if (n == 0)
        report_misuse(w, "a number that is not finite");
    append_quote(w, quoted);
    append_bytes(w, "-", negative);
    append_bytes(w, digits, n);
    append_quote(w, quoted);
}

static void write_double(struct json_writer *w, double v)
{
    char text[DOUBLE_TEXT_MAX];
    write_number(w, false, text, double_text(text, v), false);
}

/* Writes all digits of a double that is so large that it is a whole number. */
static void write_digits(struct json_writer *w, double v)
{
    char text[DOUBLE_FIXED_MAX];
    write_number(w, v < 0, text, double_fixed(text, v < 0 ? -v : v, 0), true);
}

void json_double(struct json_writer *w, double v)
{
    if (v > (double)MOST_EXACT || v < -(double)MOST_EXACT)
        write_digits(w, v);
    else
        write_double(w, v);
}

void json_rounded(struct json_writer *w, uint64_t v)
{
    if (v > MOST_EXACT)
        write_double(w, (double)v);
    else
        json_u64(w, v);
}

void json_bool(struct json_writer *w, bool v)
{
    if (next_value(w))
        append_bytes(w, v ? "true" : "false", v ? 4 : 5);
}

void json_none(struct json_writer *w)
{
    if (next_value(w))
        append_bytes(w, "null", 4);
}

/* ---- the document ---- */

void json_start(struct json_writer *w, apf_write_fn *write, void *user, unsigned indent)
{
    memset(w, 0, sizeof *w);
    w->write = write;
    w->user = user;
    w->indent = indent;
}

int json_finish(struct json_writer *w, struct apf_error *error)
{
    if (!json_failed(w) && (w->depth || !w->comma))
        report_misuse(w, w->depth ? "a document that does not end" : "an empty document");
    append_char(w, '\n');
    flush_buffer(w);
    struct error_at depth = {"json.depth", NO_OFFSET, w->depth + 1, w->depth};
    switch (w->code) {
    case APF_OK:
        return APF_OK;
    case APF_IO:
        return w->sys_errno == ENOMEM ? error_memory(error) : error_errno(error, w->sys_errno, "json.write");
    case APF_LIMIT:
        return error_at(error, APF_LIMIT, depth, "nested too deep");
    default:
        return error_plain(error, APF_ARGUMENT, "json.structure", "%s", w->wrong);
    }
}
