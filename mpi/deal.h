/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Deals pieces of work to the ranks of a group, the largest ones first, each rank one at a time. The leader works, too:
 * a thread of it answers the others. */
#ifndef MPI_DEAL_H
#define MPI_DEAL_H

#include "pieces.h"

/* What became of a piece. */
struct piece_done {
    int code;    /* 0, or an exit code after a report: nothing more is dealt */
    bool found;  /* it was finished before this run */
};

typedef struct piece_done piece_function(void *context, const struct piece *piece);

/* Runs `work` on every piece, on some rank. On the leader, `options` report progress. Returns the worst code of the
 * group; *n_found, on the leader, is how many pieces were finished before. */
int deal(const struct ranks *r, const struct pieces *pieces, const struct apf_options *options,
         piece_function *work, void *context, size_t *n_found);

#endif
