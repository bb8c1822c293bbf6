/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Profiles as JSON, schema anyprof-profile/1 (docs/json.md): instr_json_write.c and instr_json_read.c. */
#ifndef INSTR_INSTR_JSON_H
#define INSTR_INSTR_JSON_H

#include "base/json_write.h"
#include "instr/memprof_model.h"
#include "instr/profile.h"

#define PROFILE_SCHEMA "anyprof-profile/1"

/* The keys of the values of a function, by kind. */
extern const char *const json_value_keys[APF_VALUE_KINDS];

/* Who knows the names of call targets and vtables; n == 0: unknown. */
typedef struct apf_str json_target_fn(void *user, unsigned kind, uint64_t id);
/* One function as an object on one line. */
void instr_json_record(struct json_writer *w, const struct apf_record *r, json_target_fn *name, void *user);

/* The key "memprof" and its value. */
void instr_json_memprof(struct json_writer *w, const struct apf_memprof *m);

/* A reader as those in profile.h. */
int instr_json_read(struct apf_instr *instr, const uint8_t *data, size_t n,
                    const struct read_options *options, struct apf_error *error);

#endif
