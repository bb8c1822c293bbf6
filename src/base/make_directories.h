/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Directories of outputs. */
#ifndef BASE_MAKE_DIRECTORIES_H
#define BASE_MAKE_DIRECTORIES_H

#include <anyprof/error.h>

/* Makes the directory with this path, and those that it is in, unless they are there. APF_IO, of the
 * directory that cannot be made, APF_NO_MEMORY. */
int make_directories(const char *path, struct apf_error *error);
/* Makes the directories that the path of a file has before its last '/'. */
int make_directories_for(const char *path, struct apf_error *error);

#endif
