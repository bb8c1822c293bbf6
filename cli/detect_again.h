/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What a file is, for advice after an error in it. */
#ifndef CLI_DETECT_AGAIN_H
#define CLI_DETECT_AGAIN_H

#include <stdbool.h>

#include <anyprof/jobs.h>

/* Fills in info, whose size is set. False: the kind is not known, or the file cannot be read again. That holds for
 * standard input, and for pipes: opening one waits for another writer. */
bool detect_again(const char *path, struct apf_file_info *info);

#endif
