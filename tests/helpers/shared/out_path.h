/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Outputs with a path, and no option. */
#ifndef HELPERS_SHARED_OUT_PATH_H
#define HELPERS_SHARED_OUT_PATH_H

#include "base/file.h"

int open_path(struct file_out **out, const char *path, struct apf_error *e);
/* Opens, writes n bytes and closes. */
int write_path(const char *path, const void *p, size_t n, struct apf_error *e);

#endif
