/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Follows what ran from one branch to the next one. */
#ifndef PROFGEN_PROFGEN_FOLLOW_RUN_H
#define PROFGEN_PROFGEN_FOLLOW_RUN_H

#include "profgen/profgen_follower.h"

/* What ran from the target of the last branch to the next branch, at `from`. */
int profgen_follow_run(struct profgen_follower *f, const struct bolted_place *from, struct apf_error *error);

#endif
