/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Parts that all documents share: the head, and entries of a key and a value. */
#ifndef BASE_JSON_ENTRY_H
#define BASE_JSON_ENTRY_H

#include "base/file.h"
#include "base/json_write.h"

/* "schema" and "generator", in an object. */
void json_head(struct json_writer *w, const char *schema);
void json_entry_u64(struct json_writer *w, const char *key, uint64_t v);
void json_entry_hex(struct json_writer *w, const char *key, uint64_t v);
void json_entry_hash(struct json_writer *w, const char *key, uint64_t v);
void json_entry_bool(struct json_writer *w, const char *key, bool v);
void json_entry_string(struct json_writer *w, const char *key, const char *s);     /* NULL, "": null */
void json_entry_name(struct json_writer *w, const char *key, struct apf_str name); /* of no bytes: null */
/* Begins a document with two blanks for each level; the names of functions in it are shown as those of the output. */
void json_start_output(struct json_writer *w, struct file_out *out);
/* The name of a function and, where names are shown in another way, "demangled": that, or null if it is the same. */
void json_entry_function(struct json_writer *w, const char *key, struct apf_str name);
void json_entry_demangled(struct json_writer *w, struct apf_str name); /* the latter alone */
/* "path", and "path_hex" for a path that is no text, so that every reader can read the document. */
void json_entry_path(struct json_writer *w, struct apf_str path);
/* A list of strings of bytes, as digits. */
void json_entry_digits(struct json_writer *w, const char *key, const struct apf_str *list, size_t n);
void json_entry_double(struct json_writer *w, const char *key, double v);
void json_entry_known(struct json_writer *w, const char *key, bool known, uint64_t v); /* not known: null */
/* "found" and "expected" of an error: hashes for APF_HASH_MISMATCH. */
void json_entry_numbers(struct json_writer *w, const struct apf_error *e);
void json_entry_error(struct json_writer *w, const char *key, const struct apf_error *e); /* NULL: null */
/* "findings", an array of objects. */
void json_entry_findings(struct json_writer *w, const struct apf_finding *findings, size_t n);

#endif
