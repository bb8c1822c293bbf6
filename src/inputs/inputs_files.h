/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The inputs of a merge that is one call, such as apf_merge_files. */
#ifndef INPUTS_FILES_H
#define INPUTS_FILES_H

#include "base/vec.h"
#include "inputs/inputs_paths.h"

/* The files that paths stand for. All zero = none; inputs_files_free ends it. */
struct inputs_files {
    VEC(struct apf_input) inputs; /* their paths belong to the caller or to `lists` */
    VEC(char **) lists;
};

/* Adds the files that `n` paths stand for: directories stand for the files of the kind below them, as for
 * inputs_paths_to_merge. A path that cannot be looked at becomes an input, too: the merge rejects it, and the tolerance
 * decides. APF_ARGUMENT if there is no file at all. The paths must stay as they are until the files are freed. */
int inputs_files_find(struct inputs_files *files, const char *const *paths, size_t n,
                      const struct path_kind *kind, const char *output, struct apf_error *error);
void inputs_files_free(struct inputs_files *files);

#endif
