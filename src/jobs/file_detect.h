/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What a file is, and its bytes. */
#ifndef JOBS_FILE_DETECT_H
#define JOBS_FILE_DETECT_H

#include <anyprof/jobs.h>

#include "base/file.h"

/* As apf_file_detect, and leaves the bytes in *f, unpacked if that is possible. */
int file_detect(struct apf_file_info *info, struct file_bytes *f, const struct apf_input *input,
                uint64_t max_bytes, struct apf_error *error);
/* The two halves of it: the second one looks into what the first one has found to be an ELF file, or does nothing.
 * libelf is not made for several threads, so only one may do that. */
int file_detect_kind(struct apf_file_info *info, struct file_bytes *f, const struct apf_input *input,
                     uint64_t max_bytes, struct apf_error *error);
int file_detect_elf(struct apf_file_info *info, const struct file_bytes *f, struct apf_error *error);

#endif
