/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Detects the kind of a file, and keeps its bytes. */
#ifndef JOBS_FILE_DETECT_H
#define JOBS_FILE_DETECT_H

#include <stdbool.h>

#include <anyprof/jobs.h>

#include "base/file.h"

/* apf_file_detect that leaves the bytes in *f, unpacked if possible. */
int file_detect(struct apf_file_info *info, struct file_bytes *f, const struct apf_input *input,
                uint64_t max_bytes, struct apf_error *error);
/* The two halves of file_detect. The second one fills in facts of ELF files, and does nothing for others; one thread at
 * a time may call it, as libelf is not made for several. */
int file_detect_kind(struct apf_file_info *info, struct file_bytes *f, const struct apf_input *input,
                     uint64_t max_bytes, struct apf_error *error);
int file_detect_elf(struct apf_file_info *info, const struct file_bytes *f, struct apf_error *error);
/* Advice for a user who gave an ELF file as a profile of instrumentation. */
const char *file_elf_hint(const struct apf_file_info *info);
/* Whether a text is fdata of BOLT, or pre-aggregated samples for BOLT, by its first lines. */
bool file_begins_fdata(const uint8_t *data, size_t n);
bool file_begins_bolt_samples(const uint8_t *data, size_t n);

#endif
