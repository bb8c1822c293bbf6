/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The directory that a file is in, or would be. */
#ifndef CLI_PARENT_DIRECTORY_H
#define CLI_PARENT_DIRECTORY_H

#include <stdbool.h>
#include <sys/stat.h>

/* Finds the directory that a path names a file in. False: it is not there. */
bool parent_directory_find(const char *path, struct stat *st);

#endif
