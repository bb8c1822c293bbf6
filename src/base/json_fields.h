/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Fields of a JSON object, which may stand in any order. json_fields_read passes over the object and keeps where the
 * value of each known key begins; the other functions read the values then, in the order that the caller needs. An
 * object takes no memory beyond the document's.
 *
 *     #define POINT_KEYS(KEY) KEY(points, x) KEY(points, name)
 *     JSON_KEYS(point_keys, POINT_KEYS);
 *     while (json_read_more(&r)) {
 *         json_fields_read(&f, &r, point_keys);
 *         x = json_fields_u64(&f, points_x, UINT64_MAX);
 *     }
 *
 * Unknown keys are passed over; a known key that is there twice is an error; null is the same as a missing key. Errors
 * go to the reader, which keeps the first one; after an error every value is 0. */
#ifndef BASE_JSON_FIELDS_H
#define BASE_JSON_FIELDS_H

#include "base/arena.h"
#include "base/json_read.h"

#define JSON_FIELDS_MAX 16

/* A key, and the static dotted path that errors about its value have. A table of keys ends with NULL and has at most
 * JSON_FIELDS_MAX keys; functions are given a key as its place in the table. */
struct json_key {
    const char *key, *where;
};

/* Defines the table of the keys of a list's objects, and their places in it, which are called list_key. `keys` is a
 * macro as above. */
#define JSON_KEYS(table, keys)                                                                               \
    enum { keys(JSON_KEY_PLACE) };                                                                           \
    static const struct json_key table[] = {keys(JSON_KEY_ROW){NULL, NULL}}
#define JSON_KEY_PLACE(list, key) list##_##key,
#define JSON_KEY_ROW(list, key) {#key, "json." #list "." #key},

/* All zero: an object without fields. */
struct json_fields {
    struct json_reader *json;
    const struct json_key *keys;
    const char *begin, *end;             /* the object, in the document */
    const char *where;                   /* the reader's path at the object */
    const char *values[JSON_FIELDS_MAX]; /* where the value of each key begins; NULL: it is missing or null */
};

/* Reads the object that comes next, and leaves the reader after it, where each of the following functions but
 * json_fields_list and json_fields_enter returns it to. */
void json_fields_read(struct json_fields *f, struct json_reader *r, const struct json_key *keys);

static inline bool json_fields_has(const struct json_fields *f, unsigned key)
{
    return f->values[key] != NULL;
}

/* A number from 0 to `most`, which must be there. */
uint64_t json_fields_u64(struct json_fields *f, unsigned key, uint64_t most);
/* A number from 0 to `most`; `otherwise` when it is missing. */
uint64_t json_fields_u64_or(struct json_fields *f, unsigned key, uint64_t most, uint64_t otherwise);
/* A number with a sign, which must be there. */
int64_t json_fields_i64(struct json_fields *f, unsigned key);
/* Whether the value is there and true. */
bool json_fields_flag(struct json_fields *f, unsigned key);
/* A string, any bytes; empty when it is missing. It lies in the document, or in the arena when it has escapes; without
 * an arena (NULL) a string with escapes is valid until the next string is read. */
struct apf_str json_fields_text(struct json_fields *f, unsigned key, struct arena *arena);
/* An object; without any field when it is missing. */
void json_fields_object(struct json_fields *f, unsigned key, struct json_fields *object,
                        const struct json_key *keys);
/* Moves the reader into an array, whose entries json_read_more gives; false when it is missing. */
bool json_fields_list(struct json_fields *f, unsigned key);
/* Moves the reader to a value; false when it is missing, and after an error. */
bool json_fields_enter(struct json_fields *f, unsigned key);
/* Returns the reader to the end of the object, after one of these two. */
void json_fields_leave(struct json_fields *f);
/* Reports that a value is wrong: APF_BAD_JSON at the value, or at the object when it is missing. */
void json_fields_wrong(struct json_fields *f, unsigned key, const char *detail);

#endif
