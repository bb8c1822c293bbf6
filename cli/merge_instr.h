/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef CLI_MERGE_INSTR_H
#define CLI_MERGE_INSTR_H

#include "merge_request.h"

/* anyprof merge of instrumentation profiles: merges and writes. Returns the exit code. */
int merge_instr(struct merge_request *r);

#endif
