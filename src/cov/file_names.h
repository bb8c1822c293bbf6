/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Names of source files: each has a number. */
#ifndef COV_FILE_NAMES_H
#define COV_FILE_NAMES_H

#include <anyprof/io.h>

#include "base/arena.h"
#include "base/hash_index.h"
#include "base/vec.h"

/* All zero = empty. */
struct file_names {
    VEC(struct apf_str) list;
    struct hash_index index;
    struct arena text;
};

/* The number of a name, of which the table keeps a copy if it is new. APF_LIMIT, APF_NO_MEMORY. */
int file_names_add(struct file_names *t, struct apf_str name, uint32_t *number, struct apf_error *error);
void file_names_free(struct file_names *t);

/* Joins a directory and the name of a file below it, unless that is absolute, and removes "." and ".." from what it has
 * joined, as LLVM 15 and later do. The result is in the arena; p == NULL: an allocation failed. */
struct apf_str file_names_join(struct arena *arena, struct apf_str directory, struct apf_str name);
/* The change whose `from` a name begins with, the last one of several; NULL: none. */
const struct apf_name_change *file_names_change(const struct apf_name_change *changes, size_t n,
                                                struct apf_str name);
/* The name after the change, terminated, in the arena; p == NULL: an allocation failed. */
struct apf_str file_names_changed(struct arena *arena, struct apf_str name,
                                  const struct apf_name_change *change);
/* Removes "." and ".." from a path without looking at the disk; `to` has room for n bytes. Returns the length. */
size_t file_names_clean(char *to, const char *path, size_t n);

#endif
