/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The files of a recording that is a directory, as `perf record --threads` writes it: `data`, and `data.0` up to the
 * last one. */
#ifndef PERF_PERF_DIRECTORY_H
#define PERF_PERF_DIRECTORY_H

#include <stdbool.h>
#include <stddef.h>

#include <anyprof/io.h>

/* The files of the directory at `path`, `data` first; *directory: it is one, else there are none. The caller frees them
 * with apf_paths_free, also after a failure. APF_BAD_RECORDING when a file is missing or no regular file, which would
 * lose its samples, and when directories in this one have recordings of their own. */
int perf_directory_list(const char *path, char ***files, size_t *n, bool *directory, struct apf_error *error);

#endif
