/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What samples are read for: one file that ran. */
#ifndef PROFGEN_PROFGEN_TARGET_H
#define PROFGEN_PROFGEN_TARGET_H

#include "profgen/profgen_follow.h"
#include "profgen/profgen_gcc_hits.h"
#include "profgen/profgen_traces.h"

/* For names of other files, in messages: see struct apf_profgen. */
#define PROFGEN_OTHERS 120

struct profgen_target {
    const struct profgen_image *image; /* the file */
    /* the program whose profile is made: that of the file, or its original */
    struct profgen_program *program;
    struct profgen_follower *follower; /* NULL: the file is the program itself, not what BOLT made of it */
    struct profgen_traces *traces;
    /* NULL, or gets the addresses of samples: then call stacks are not used at all */
    struct profgen_hits *hits;
    bool ignore_calls; /* call stacks make no contexts */
};

/* Adds a sample, whose addresses are those for which the file is linked. `called`: it should have a call stack. */
int profgen_target_add(const struct profgen_target *t, const struct profgen_sample *sample, bool called,
                       struct apf_error *error);
/* Adds to the hits an address for which the file is linked; PROFGEN_OUTSIDE adds nothing. */
int profgen_target_hit(struct profgen_target *t, uint64_t address, uint64_t count, uint64_t time,
                       struct apf_error *error);

#endif
