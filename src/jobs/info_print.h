/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef JOBS_INFO_PRINT_H
#define JOBS_INFO_PRINT_H

#include "jobs/info.h"

/* Whether a file has functions and counters, a byte order and pointers, or a variant. */
bool info_is_profile(const struct apf_file_facts *f);
bool info_is_ordered(const struct apf_file_facts *f);
bool info_has_variant(const struct apf_file_facts *f);

/* Write, in this order: "raw instrumentation profile, version 10"; "IR, context-sensitive"; ", of a raw profile"; the
 * bytes of an id; "12 functions" or "1 function". */
void info_write_kind(struct file_out *out, const struct apf_file_facts *f);
void info_write_variant(struct file_out *out, const struct apf_file_facts *f);
void info_write_origin(struct file_out *out, const struct apf_file_facts *f);
void info_write_digits(struct file_out *out, struct apf_str bytes);
void info_write_count(struct file_out *out, uint64_t n, const char *one, const char *many);
/* Writes all files, by build. */
void info_write_groups(struct file_out *out, const struct apf_info *info);
/* Writes the document anyprof-info/1. */
int info_write_json(const struct apf_info *info, struct file_out *out, struct apf_error *error);

#endif
