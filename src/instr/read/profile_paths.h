/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The profiles among the files of a directory: apf_profile_paths. */
#ifndef INSTR_PROFILE_PATHS_H
#define INSTR_PROFILE_PATHS_H

#include <stdbool.h>

#include <anyprof/instr.h>

/* Whether the n paths that `path` stands for were found in a directory. */
bool profile_paths_are_below(const char *path, char *const *paths, size_t n);

#endif
