/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The family of a profile by its first bytes. */
#ifndef JOBS_FAMILIES_H
#define JOBS_FAMILIES_H

#include <stddef.h>
#include <stdint.h>

#include <anyprof/jobs.h>

/* apf_file_family of a file that begins with the n bytes at p, unpacked. */
enum apf_family family_of_bytes(const uint8_t *p, size_t n);

#endif
