/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Finds the source files that a diff is about. */
#ifndef COV_PATCH_FILES_H
#define COV_PATCH_FILES_H

#include "base/sort.h"
#include "base/text_set.h"
#include "cov/patch.h"

/* The source files by their names, read backwards. All zero = empty. */
struct patch_files {
    const struct text_set *names;
    struct apf_str root; /* the directory that names in the diff are relative to; n == 0: unknown */
    VEC(uint32_t) by_end;
};

/* False: an allocation failed. */
bool patch_files_make(struct patch_files *f, const struct text_set *names, const uint32_t *files, size_t n);
/* Sets the root, if a file of the diff is in it. */
void patch_files_set_root(struct patch_files *f, struct apf_str root, const struct patch *patch);
/* The number of the name of the source file that a file of the diff is; HASH_INDEX_NONE: none. */
uint32_t patch_files_find(const struct patch_files *f, const struct patch_file *file);
void patch_files_free(struct patch_files *f);

/* The name of a file without git's prefix. */
struct apf_str patch_file_name(const struct patch_file *file);

#endif
