/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A reader of JSON that makes no tree: the caller asks for what should come next, entry by entry, so that a document of
 * any length needs no memory but for the longest string in it.
 *
 *     json_read_start(&r, data, n, error);
 *     json_read_object(&r);
 *     while (json_read_key(&r, &key))
 *         if (is(key, "counts"))
 *             for (json_read_array(&r); json_read_more(&r);)
 *                 take(json_read_u64(&r, UINT64_MAX));
 *         else
 *             json_read_skip(&r);
 *     code = json_read_finish(&r);
 *
 * The first error is kept, with line and column; after it every call does nothing, and what it returns is empty. The
 * grammar is that of RFC 8259, and strings are what json_write.h writes: "\udcXX" is the byte XX. */
#ifndef BASE_JSON_READ_H
#define BASE_JSON_READ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <anyprof/error.h>

#include "base/pulse.h"
#include "base/vec.h"

struct json_reader {
    const char *base, *p, *end;
    const char *token; /* start of the present value or key, which errors are about */
    const char *where; /* static dotted path for errors, set by the caller */
    struct apf_error *error;
    int code;
    bool comma; /* the open container has an entry before this place */
    VEC(char) text;
    struct pulse *pulse; /* NULL, or what may end the reading; set by the caller */
    uint64_t n_entries;  /* of all arrays, up to here */
};

void json_read_start(struct json_reader *r, const void *data, size_t n, struct apf_error *error);
/* Ends the document, which must have no more values. Frees the reader; returns the code. */
int json_read_finish(struct json_reader *r);

/* An object begins. */
void json_read_object(struct json_reader *r);
/* The next key of the object, whose value must be read then; false at the object's end, which is passed, and after an
 * error. The key is valid until the next string is read. */
bool json_read_key(struct json_reader *r, struct apf_str *key);
/* An array begins. */
void json_read_array(struct json_reader *r);
/* Whether another value follows, which must be read then; false at the array's end, which is passed. */
bool json_read_more(struct json_reader *r);

/* A string, any bytes; valid until the next one is read. */
struct apf_str json_read_string(struct json_reader *r);
/* A number from 0 to `most`: as a number without fraction and exponent, or as a string, "31" or "0x1f". */
uint64_t json_read_u64(struct json_reader *r, uint64_t most);
/* A number from -2^63 to 2^63-1, in the same forms; a sign may stand before the 0x. */
int64_t json_read_i64(struct json_reader *r);
bool json_read_bool(struct json_reader *r);
/* Whether the next value is null; passes it then. */
bool json_read_null(struct json_reader *r);
/* Passes any value, up to JSON_MAX_DEPTH deep. */
void json_read_skip(struct json_reader *r);

/* Reports that the value read last is wrong. */
void json_read_wrong(struct json_reader *r, int code, const char *detail);
/* Reports that an allocation failed. */
void json_read_memory(struct json_reader *r);

static inline bool json_read_failed(const struct json_reader *r)
{
    return r->code != APF_OK;
}

/* Whether a file of n bytes looks like a JSON object: a brace, and after it, blanks aside, a quote or its end. */
bool json_read_is_object(const void *data, size_t n);

#endif
