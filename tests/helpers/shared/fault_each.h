/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Tries something again and again, with another call failing each time. */
#ifndef HELPERS_SHARED_FAULT_EACH_H
#define HELPERS_SHARED_FAULT_EACH_H

#include <anyprof/error.h>

#include "helpers/shared/fault.h"

/* What is tried: it makes the file `path`, in temp_dir. */
typedef int fault_attempt(const char *path, struct apf_error *error);

/* The k-th such call fails, for k = 1, 2 ... until all is done before it comes. Each time the attempt fails with the
 * expected code and leaves nothing in temp_dir, or succeeds, where the call does not matter. Fails the test otherwise;
 * returns how often the attempt failed. */
unsigned fault_each(fault_attempt *attempt, enum fault_call call, int sys_errno, int expected);

#endif
