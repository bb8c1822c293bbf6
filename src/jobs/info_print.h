/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef JOBS_INFO_PRINT_H
#define JOBS_INFO_PRINT_H

#include "jobs/info.h"

/* Whether functions and counters of a file are known; whether it has a byte order and pointers; and a variant. */
bool info_is_profile(const struct apf_file_facts *f);
bool info_is_ordered(const struct apf_file_facts *f);
bool info_has_variant(const struct apf_file_facts *f);

/* Without its article: "raw instrumentation profile, version 10"; "IR, context-sensitive"; ", of a raw profile"; the
 * bytes of an id; "12 functions", "1 function". */
void info_put_kind(struct file_out *out, const struct apf_file_facts *f);
void info_put_variant(struct file_out *out, const struct apf_file_facts *f);
void info_put_origin(struct file_out *out, const struct apf_file_facts *f);
void info_put_digits(struct file_out *out, struct apf_str bytes);
void info_put_count(struct file_out *out, uint64_t n, const char *one, const char *many);
/* All files, by their builds. */
void info_put_groups(struct file_out *out, const struct apf_info *info);
/* The document anyprof-info/1. */
int info_put_json(const struct apf_info *info, struct file_out *out, struct apf_error *error);

#endif
