/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef JOBS_PERF_SCRIPT_BEGINS_H
#define JOBS_PERF_SCRIPT_BEGINS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Whether a text may be of perf script, by its first line. */
bool perf_script_begins(const uint8_t *data, size_t n);

#endif
