/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The newest releases that the library knows. */
#ifndef CLI_NEWEST_H
#define CLI_NEWEST_H

#include <anyprof/sample_write.h>

/* The name of the newest release of LLVM that indexed profiles can be written for. */
const char *newest_release(void);
/* The newest release of a kind of compilers that sample profiles can be written for. */
struct apf_sample_target newest_sample_target(enum apf_sample_target_kind kind);

#endif
