/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What the two files that read profiles from JSON share: instr_json_read.c the document, instr_json_function.c its
 * functions. */
#ifndef INSTR_INSTR_JSON_PARTS_H
#define INSTR_INSTR_JSON_PARTS_H

#include "base/json_read.h"
#include "instr/profile.h"
#include "instr/site_gather.h"

/* Of a function, a call target or a vtable: the name, the id, or both. */
struct json_identity {
    uint64_t id;
    uint32_t symbol; /* of the name */
    bool has_name, has_id;
};

struct json_function {
    struct record record;
    struct record_extra extra;
    struct json_identity identity;
    uint32_t n_uniform;
    bool has_hash;
};

struct json_variant {
    uint64_t words, bits, last;
    bool has_words, has_bits, has_last;
};

struct json_profile_reader {
    struct json_reader json;
    struct apf_instr *instr;
    const struct read_options *options;
    /* What is at hand. */
    struct json_function function;
    struct site_gather sites;
    unsigned kind; /* of values */
    struct json_identity target;
    uint64_t count; /* of the target */
    struct apf_trace trace;
    struct json_variant variant;
    bool has_schema;
    VEC(uint64_t) numbers;
    VEC(struct apf_trace) traces;
    VEC(struct apf_str) ids;
};

/* A key of an object, and who reads its value; the last one of an array has no key. */
struct json_field {
    const char *key, *where;
    void (*read)(struct json_profile_reader *r);
};

/* Reads the fields of an object that are wanted (a bit each), and passes the others over. Those that are null are as if
 * they were not there; keys that nobody knows may be there. */
void json_profile_object(struct json_profile_reader *r, const struct json_field *fields, uint32_t wanted);
void json_profile_wrong(struct json_profile_reader *r, const char *detail);
uint64_t json_profile_u64(struct json_profile_reader *r);
/* Bytes, of which a string has two digits each, in the arena. */
const uint8_t *json_profile_digits(struct json_profile_reader *r, uint32_t *n);
/* A copy of the numbers at hand, in the arena. */
const uint64_t *json_profile_keep_numbers(struct json_profile_reader *r);
/* Takes a name, which need not be new. */
void json_profile_name(struct json_profile_reader *r, struct symbols *table, struct json_identity *identity);
void json_profile_id(struct json_profile_reader *r, struct json_identity *identity);

/* The id in an entry of a trace. */
uint64_t json_profile_called(struct json_profile_reader *r);
/* The list of functions. */
void json_profile_functions(struct json_profile_reader *r);

#endif
