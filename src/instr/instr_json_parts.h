/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What the files that read profiles from JSON share: instr_json_read.c the document, instr_json_function.c its
 * functions, instr_json_memprof_read.c its memory profile. */
#ifndef INSTR_INSTR_JSON_PARTS_H
#define INSTR_INSTR_JSON_PARTS_H

#include "base/json_read.h"
#include "instr/memprof_model.h"
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

/* What is at hand of a memory profile. */
struct json_memory {
    bool there;
    uint32_t function; /* number */
    bool has_function, has_symbol, has_literal, has_file;
    struct apf_memprof_frame frame;
    VEC(uint32_t) frames; /* numbers, of the stack */
    uint32_t fields;
    uint64_t values[APF_MEMPROF_FIELDS];
    uint32_t symbol; /* number of the string */
    uint64_t literal;
    struct memprof_location place;
    VEC(struct memprof_location) places;
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
    struct json_memory memory;
    bool has_schema;
    bool has_value_kinds;
    uint32_t value_kinds; /* of a raw profile; its value data may have more */
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
/* The memory profile, and what is left to do when the document has been read. */
void json_profile_memprof(struct json_profile_reader *r);
int json_profile_settle_memprof(struct json_profile_reader *r);
void json_memory_free(struct json_memory *m);
/* The list of functions. */
void json_profile_functions(struct json_profile_reader *r);

#endif
