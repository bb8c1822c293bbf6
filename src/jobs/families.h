/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The family of a profile by its first bytes, and files of both families in directories. */
#ifndef JOBS_FAMILIES_H
#define JOBS_FAMILIES_H

#include <stddef.h>
#include <stdint.h>

#include <anyprof/jobs.h>

#include "inputs/inputs_paths.h"

/* apf_file_family of a file that begins with the n bytes at p, unpacked. */
enum apf_family family_of_bytes(const uint8_t *p, size_t n);

/* Ends of names of both families, and the NULL after them. */
#define FAMILY_ENDS 16
/* The kind of profiles of both families; `ends` is memory for it. */
struct path_kind family_path_kind(const char *ends[FAMILY_ENDS]);

#endif
