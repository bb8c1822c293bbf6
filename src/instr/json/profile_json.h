/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Reads and writes profiles as JSON, schema anyprof-profile/1 (docs/json.md). */
#ifndef INSTR_PROFILE_JSON_H
#define INSTR_PROFILE_JSON_H

#include "base/json_write.h"
#include "instr/model/memprof_model.h"
#include "instr/model/profile.h"

#define PROFILE_SCHEMA "anyprof-profile/1"

/* The keys of the value sites of a function, by kind. */
extern const char *const json_value_keys[APF_VALUE_KINDS];

/* Returns the name of a call target or vtable; n == 0: unknown. */
typedef struct apf_str json_target_fn(void *user, unsigned kind, uint64_t id);
/* Writes a function as an object on one line. */
void profile_json_record(struct json_writer *w, const struct apf_record *r, json_target_fn *name, void *user);

/* Parts of documents that others have, too, each with its key, or keys. Sites of a kind that a function does not have
 * are left out. */
void profile_json_numbers(struct json_writer *w, const char *key, const uint64_t *p, size_t n);
void profile_json_sites(struct json_writer *w, const struct apf_record *r, unsigned kind,
                        json_target_fn *name, void *user);
void profile_json_source(struct json_writer *w, const struct apf_instr *instr);
void profile_json_traces(struct json_writer *w, const struct apf_instr *instr);
/* A json_target_fn; `user` is the address of a pointer to the profile. */
struct apf_str profile_json_target(void *user, unsigned kind, uint64_t id);

/* Writes the key "memprof" and its value. */
void profile_json_memprof(struct json_writer *w, const struct apf_memprof *m);

/* The format's functions for the table of read/formats.h. */
bool profile_json_begins(const uint8_t *data, size_t n);
int profile_json_read(struct apf_instr *instr, const uint8_t *data, size_t n,
                      const struct read_options *options, struct apf_error *error);

#endif
