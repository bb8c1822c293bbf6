/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Deals pieces of work to the ranks of a group. A rank gets pieces that follow those it has, as long as there are any,
 * so that the run of them becomes one part; else it begins a run in the middle of what is left. The leader works, too:
 * a thread of it answers the others. */
#ifndef MPI_DEAL_H
#define MPI_DEAL_H

#include "pieces.h"

/* Pieces that follow each other, and the part that was made of them. */
struct run {
    uint64_t first, n;
    uint64_t bytes;   /* of the part */
    uint64_t passing; /* 1: inputs are bad that may be good in a later run, which does not use the part */
};

struct runs {
    struct run *list;
    size_t n, capacity;
};

void runs_add(struct runs *runs, const struct run *run);

struct dealer;

/* What a rank asks with. */
struct deal {
    struct ranks *ranks;
    struct dealer *dealer; /* at the leader */
    uint64_t n_inputs;     /* that a rank wants at once */
};

/* Begins to deal what no run in `done`, at the leader, has. With `options` the leader reports its progress. */
void deal_begin(struct deal *d, struct ranks *r, const struct pieces *pieces, const struct runs *done,
                const struct apf_options *options);
/* Gets the first pieces of a new run, which `finished`, if that is not NULL, precedes. False: none is left. */
bool deal_first(struct deal *d, const struct run *finished, struct run *run);
/* Gets pieces that follow the run, which grows by them; false: it ends here. `more` are these pieces. */
bool deal_more(struct deal *d, struct run *run, struct run *more);
/* Says that this rank takes no more work, because of an error if `failed`: then no rank gets more. At the leader waits
 * for the others. Sets the runs of the group, sorted, at all ranks. */
void deal_end(struct deal *d, bool failed, struct runs *runs);

#endif
