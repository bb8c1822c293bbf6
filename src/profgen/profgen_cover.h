/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* How often each address is covered by ranges that ran. */
#ifndef PROFGEN_PROFGEN_COVER_H
#define PROFGEN_PROFGEN_COVER_H

#include "object/pair_counts.h"
#include "profgen/profgen_functions.h"

/* From this address to the next step. */
struct profgen_step {
    uint64_t address, count;
    uint64_t ranges; /* that cover it; 0: it is not in the profile */
};

struct profgen_cover {
    VEC(struct profgen_step) steps; /* by address; the last one covers nothing */
};

/* Ranges are from the first to the last byte that counts. The whole of each function in which a range begins is
 * covered, too, if only with the count 0, or with `all` each function; not with NULL in place of the functions. */
int profgen_cover_open(struct profgen_cover *c, const struct pair_count *ranges, size_t n,
                       const struct profgen_functions *functions, bool all, struct apf_error *error);
void profgen_cover_close(struct profgen_cover *c);

#endif
