/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Repeats an attempt, with another call failing each time. */
#ifndef HELPERS_SHARED_FAULT_EACH_H
#define HELPERS_SHARED_FAULT_EACH_H

#include <anyprof/error.h>

#include "helpers/shared/fault.h"

/* An attempt; it makes the file `path`, in temp_dir. */
typedef int fault_attempt(const char *path, struct apf_error *error);

/* The k-th call of the kind fails, for k = 1, 2 ... until the attempt ends before it. Each time the attempt fails with
 * the expected code and leaves nothing in temp_dir, or succeeds, where the call does not matter. Fails the test
 * otherwise; returns the number of failed attempts. */
unsigned fault_each(fault_attempt *attempt, enum fault_call call, int sys_errno, int expected);

#endif
