/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Names of source files. */
#ifndef COV_FILE_NAMES_H
#define COV_FILE_NAMES_H

#include <stdbool.h>

#include <anyprof/io.h>

#include "base/arena.h"

/* Which names are those of Windows, which are shown with '/' in place of '\\', and absolute if they begin
 * with a drive. */
enum names_style {
    NAMES_OF_UNIX,  /* none, as in LLVM on other systems */
    NAMES_BY_DRIVE, /* those that begin with a drive, or are in a directory that does */
    NAMES_OF_WINDOWS
};

/* Joins a directory and the name of a file below it, unless that is absolute, and removes "." and ".." from what it has
 * joined, as LLVM 15 and later do. directory.p == NULL: there is none, and nothing is removed. The result is `name`, or
 * in the arena; p == NULL: an allocation failed, or that is `name`. */
struct apf_str file_names_join(struct arena *arena, struct apf_str directory, struct apf_str name,
                               enum names_style style);
/* Whether a path begins as "C:/" or "C:\\" does. */
bool file_names_has_drive(struct apf_str path);
/* Whether a path begins with these bytes, in which '\\' stands for '/', too. */
static inline bool file_names_begin(struct apf_str path, const char *beginning, size_t n)
{
    bool same = n <= path.n;
    for (size_t i = 0; i < n && same; i++)
        same = path.p[i] == beginning[i] || (path.p[i] == '/' && beginning[i] == '\\');
    return same;
}
/* The change whose `from` a name begins with, the last one of several; NULL: none. */
const struct apf_name_change *file_names_change(const struct apf_name_change *changes, size_t n,
                                                struct apf_str name);
/* The name after the change, terminated, in the arena; p == NULL: an allocation failed. */
struct apf_str file_names_changed(struct arena *arena, struct apf_str name,
                                  const struct apf_name_change *change);
/* Removes "." and ".." from a path without looking at the disk; `to` has room for n bytes. Returns the length. */
size_t file_names_clean(char *to, const char *path, size_t n);

#endif
