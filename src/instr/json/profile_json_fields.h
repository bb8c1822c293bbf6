/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Shared by the readers of profiles in JSON: their state, and tables of the keys of an object with a function for each
 * that reads the value. profile_json_read.c reads the document, profile_json_function.c its functions,
 * profile_json_memprof_read.c its memory profile. */
#ifndef INSTR_PROFILE_JSON_FIELDS_H
#define INSTR_PROFILE_JSON_FIELDS_H

#include "base/json_read.h"
#include "instr/model/memprof_model.h"
#include "instr/model/profile.h"
#include "instr/model/value_gather.h"

struct json_profile_reader {
    struct json_reader json;
    struct apf_instr *instr;
    const struct read_options *options;
    VEC(uint64_t) numbers;     /* the current array */
    struct value_gather sites; /* of the current function */
    VEC(struct apf_trace) traces;
    VEC(struct apf_str) ids; /* binary ids */
    /* Set by the fields of the document, checked when all are read. */
    uint64_t words, bits, last_bits; /* variant, variant_bits, last_variant_bits */
    uint32_t value_kinds;            /* source.value_kinds */
    bool has_value_kinds;
    /* Set by the fields of the memory profile. */
    VEC(uint32_t) frames;                   /* of the current stack: numbers, the innermost first */
    VEC(struct memprof_location) locations; /* of the current data access profile */
};

/* A key of an object. The last row of a table has no key. */
struct json_field;
/* Reads the value of a key, and stores it in the object or in the reader. */
typedef void json_field_fn(struct json_profile_reader *r, const struct json_field *field, void *object);
struct json_field {
    const char *key, *where; /* where: dotted path for errors */
    json_field_fn *read;
    size_t at; /* offset of the member of the object that json_profile_u64_field and its like set */
};

/* Reads the fields of an object that are wanted (bit i: row i of the table). Skips the other ones, null values and
 * unknown keys. Returns the bits of the fields that were read. */
uint32_t json_profile_object(struct json_profile_reader *r, const struct json_field *fields, uint32_t wanted,
                             void *object);
void json_profile_wrong(struct json_profile_reader *r, const char *detail);
uint64_t json_profile_u64(struct json_profile_reader *r);
json_field_fn json_profile_u64_field, json_profile_u32_field; /* set a uint64_t or uint32_t */
json_field_fn json_profile_bool_field;                        /* sets a uint32_t to 0 or 1 */

/* Reads an array into r->numbers. */
void json_profile_numbers(struct json_profile_reader *r);
/* Copies r->numbers to the arena. NULL after a failure. */
const uint64_t *json_profile_copy_numbers(struct json_profile_reader *r);
/* Reads a string of two digits for each byte; *n becomes the number of bytes, which are in the arena. */
const uint8_t *json_profile_digits(struct json_profile_reader *r, uint32_t *n);

/* The name, the id, or both, of a function, a call target or a vtable. */
struct json_identity {
    struct symbols *table; /* set by the caller: where names are added */
    uint64_t id;
    uint32_t symbol; /* number of the name, or HASH_INDEX_NONE */
    bool has_name, has_id;
};
/* Set a struct json_identity; a name and an id must belong together. */
json_field_fn json_profile_name_field, json_profile_id_field;
/* Reads a name that need not be new. */
void json_profile_name(struct json_profile_reader *r, struct json_identity *identity);

/* Fields of the document. */
json_field_fn json_profile_functions, json_profile_memprof;
/* Reads the id in an entry of a trace. */
uint64_t json_profile_called(struct json_profile_reader *r);
/* Completes the memory profile when the document has been read. `found`: it had one. */
int json_profile_finish_memprof(struct json_profile_reader *r, bool found);

#endif
