/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Passes over functions of LLVM's binary formats without storing them, to find where each one begins. */
#ifndef SAMPLE_SKIP_H
#define SAMPLE_SKIP_H

#include "base/cursor.h"
#include "base/vec.h"

/* All zero but for the first member. */
struct sample_skipper {
    bool has_vtables;   /* bodies end with vtables */
    VEC(uint64_t) left; /* functions that are still to come, of each function that is open */
    uint64_t key;       /* of the function that was passed last: a number of a name or context */
    uint64_t n_inlined; /* how many functions are inlined in it */
};

/* Moves a cursor after a function at the top level. If the function is damaged, the cursor has failed. False:
 * allocation failed. */
bool sample_skip_function(struct sample_skipper *skipper, struct cursor *c) MUST_USE;
void sample_skipper_free(struct sample_skipper *skipper);

#endif
