/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Follows branches. */
#ifndef PROFGEN_PROFGEN_FOLLOW_BRANCH_H
#define PROFGEN_PROFGEN_FOLLOW_BRANCH_H

#include "profgen/profgen_follower.h"

/* The branch from `at`, or that BOLT has added after it, to a place in the program. */
int profgen_follow_branch(struct profgen_follower *f, const struct bolted_place *to, struct apf_error *error);
/* Control leaves the program. */
int profgen_follow_leave(struct profgen_follower *f, struct apf_error *error);

#endif
