/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What documents of ours have in common: how they begin, and entries that are a key and a value. */
#ifndef BASE_JSON_ENTRY_H
#define BASE_JSON_ENTRY_H

#include "base/json_write.h"

/* "schema" and "generator", in an object. */
void json_head(struct json_writer *w, const char *schema);
void json_entry_u64(struct json_writer *w, const char *key, uint64_t v);
void json_entry_hex(struct json_writer *w, const char *key, uint64_t v);
void json_entry_bool(struct json_writer *w, const char *key, bool v);
void json_entry_string(struct json_writer *w, const char *key, const char *s);     /* NULL, "": null */
void json_entry_name(struct json_writer *w, const char *key, struct apf_str name); /* of no bytes: null */

#endif
