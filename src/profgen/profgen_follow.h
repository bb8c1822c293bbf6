/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Samples of a program that BOLT wrote become those that its original would have had. */
#ifndef PROFGEN_PROFGEN_FOLLOW_H
#define PROFGEN_PROFGEN_FOLLOW_H

#include "profgen/profgen_follower.h"

/* Follows a sample. `result` gets the branches, with gaps, and the frames, which stay until the next call. */
int profgen_follow(struct profgen_follower *f, const struct profgen_sample *sample,
                   struct profgen_sample *result, struct apf_error *error);
/* The address in the original of any instruction; PROFGEN_OUTSIDE: there is none. */
uint64_t profgen_follow_address(struct profgen_follower *f, uint64_t address);

#endif
