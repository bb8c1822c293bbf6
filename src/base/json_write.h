/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The one writer of JSON: streaming, in constant memory, with a sticky error that json_finish reports.
 *
 * Strings may hold any bytes, and a reader gets them back:
 *   - UTF-8 (the well-formed sequences of the Unicode standard) is written as it is;
 *   - quote and backslash have a backslash before them;
 *   - control characters (below U+0020, and U+007F to U+009F) and marks of direction, which terminals obey, are
 *     \uXXXX;
 *   - any other byte XX, which is part of no well-formed sequence, is \udcXX: a lone low surrogate, which no valid
 *     text contains. This is Python's "surrogateescape": json.loads(text).encode("utf-8", "surrogateescape") gives
 *     the bytes. Readers that refuse lone surrogates refuse such a file; it has no text for them.
 * Where one such byte must not make a whole document unreadable, json_text and json_key_text write U+FFFD instead, and
 * the bytes go into an entry of their own (json_digits), if the format has one.
 *
 * Numbers above 2^53 are decimal strings, because many readers hold numbers as doubles. Hashes and ids are strings of
 * 16 digits, such as "0x000000000000001f"; addresses and words of bits have no zeros before them: "0x1f". */
#ifndef BASE_JSON_WRITE_H
#define BASE_JSON_WRITE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <anyprof/io.h>

#include "base/compiler.h"

#define JSON_MAX_DEPTH 64

struct json_writer {
    apf_write_fn *write;
    void *user;
    int32_t code;      /* APF_OK until something failed; then every call does nothing */
    int32_t sys_errno; /* what the callback returned, for APF_IO */
    const char *wrong; /* what the caller did, for APF_ARGUMENT */
    unsigned indent;
    unsigned depth;
    uint64_t objects;       /* bit i: level i is an object, not an array */
    unsigned line;          /* the level that is written on one line, with all levels in it; 0 = none */
    bool comma;             /* the open container has an entry before this place */
    bool has_key;           /* a key waits for its value */
    apf_name_fn *show_name; /* NULL, or what shows names of functions; `names` is its user */
    void *names;
    bool lossy; /* the present string is that of json_text, or json_key_text */
    size_t n;
    char buffer[4096];
};

/* Begins one document. `indent` is the blanks for each level, for people; 0 = all on one line. */
void json_start(struct json_writer *w, apf_write_fn *write, void *user, unsigned indent);
/* Ends the document with a newline and passes all bytes to the callback. Reports the first failure: APF_IO (or
 * APF_NO_MEMORY, if the callback returned ENOMEM), APF_LIMIT (nested deeper than JSON_MAX_DEPTH), or APF_ARGUMENT
 * (calls in an order that is no JSON, or a double that is not finite). After a failure, the bytes that the callback got
 * are not JSON. */
int json_finish(struct json_writer *w, struct apf_error *error) MUST_USE;

/* Lets long loops end early; other callers need not check. */
static inline bool json_failed(const struct json_writer *w)
{
    return w->code != APF_OK;
}

void json_object_begin(struct json_writer *w);
/* Begins an object that is written on one line: for the entries of long lists. */
void json_line_object(struct json_writer *w);
void json_object_end(struct json_writer *w);
void json_array_begin(struct json_writer *w);
void json_array_end(struct json_writer *w);

/* The key of the next value, in an object. The caller makes sure that keys differ. */
void json_key(struct json_writer *w, const char *key);
void json_key_bytes(struct json_writer *w, const void *p, size_t n);
void json_key_text(struct json_writer *w, const void *p, size_t n);

void json_cstring(struct json_writer *w, const char *s);
void json_bytes(struct json_writer *w, const void *p, size_t n);
void json_text(struct json_writer *w, const void *p, size_t n);
void json_digits(struct json_writer *w, const void *p, size_t n); /* "00ff": two digits for each byte */
void json_u64(struct json_writer *w, uint64_t v);
void json_i64(struct json_writer *w, int64_t v);
void json_hex(struct json_writer *w, uint64_t v);
void json_hash(struct json_writer *w, uint64_t v);
/* As double_text; above 2^53, and below -2^53, a string with all digits. */
void json_double(struct json_writer *w, double v);
/* A number in a format of another tool, which knows no strings for numbers: above 2^53 the nearest double. */
void json_rounded(struct json_writer *w, uint64_t v);
void json_bool(struct json_writer *w, bool v);
void json_none(struct json_writer *w);

#endif
