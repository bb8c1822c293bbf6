/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/** @file jobs.h
 * What needs more than one kind of profile data.
 */
#ifndef ANYPROF_JOBS_H
#define ANYPROF_JOBS_H

#include <anyprof/io.h>

#endif
