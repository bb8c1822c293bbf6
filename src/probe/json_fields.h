/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Fields of JSON objects that we wrote, or somebody in our way; read through jansson. The first failure is kept, and
 * everything is 0 after it. */
#ifndef PROBE_JSON_FIELDS_H
#define PROBE_JSON_FIELDS_H

#include <jansson.h>
#include <stdbool.h>

#include <anyprof/error.h>

#include "probe/json_escapes.h"

struct json_fields {
    const json_t *object;
    const char *list; /* what it is an entry of, and which one, for messages; NULL: the document itself */
    size_t entry;
    struct json_escapes *escapes; /* of the document; NULL: none */
    struct apf_error *error;
    int code; /* APF_OK until something failed */
};

/* Whether the field is there and not null. */
bool json_fields_has(const struct json_fields *f, const char *key);
/* A number from 0 to `most`, as a number or a string ("0x1f", "31"). */
uint64_t json_fields_u64(struct json_fields *f, const char *key, uint64_t most);
/* The same, or 0 when it is not there. */
uint64_t json_fields_u64_or_0(struct json_fields *f, const char *key, uint64_t most);
/* From -2^63 to 2^63 - 1, as a number or a string ("-0x1f", "31"). */
int64_t json_fields_i64(struct json_fields *f, const char *key);
/* Whether it is there and true. */
bool json_fields_flag(struct json_fields *f, const char *key);
/* A string of any bytes and any length, with a zero behind it; valid as long as the document and its escapes. n == 0
 * when it is not there. */
struct apf_str json_fields_text(struct json_fields *f, const char *key);
/* An array; NULL when it is not there. */
const json_t *json_fields_list(struct json_fields *f, const char *key);
/* Entry i of a list, which must be an object. */
struct json_fields json_fields_entry(const struct json_fields *of, const json_t *list, const char *name,
                                     size_t i);
/* An object; NULL when it is not there. */
const json_t *json_fields_object(struct json_fields *f, const char *key);
void json_fields_wrong(struct json_fields *f, const char *key, const char *what);

#endif
