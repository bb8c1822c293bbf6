/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Directories of outputs. */
#ifndef BASE_DIRECTORIES_H
#define BASE_DIRECTORIES_H

#include <anyprof/error.h>

/* Makes the directory with this path, and those that it is in, unless they are there. APF_IO, APF_NO_MEMORY. */
int directories_make(const char *path, struct apf_error *error);
/* Makes the directories that the path of a file has before its last '/'. */
int directories_make_for(const char *path, struct apf_error *error);

#endif
