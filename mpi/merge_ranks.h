/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPI_MERGE_RANKS_H
#define MPI_MERGE_RANKS_H

#include "options.h"
#include "own_options.h"
#include "ranks.h"

/* Merges on all ranks: what `anyprof merge` with `args` does, with its messages, which the root writes. Returns the
 * exit code, the same on all ranks. */
int merge_on_ranks(struct ranks *r, const struct session *session, struct arguments *args,
                   const struct own_options *own);

#endif
