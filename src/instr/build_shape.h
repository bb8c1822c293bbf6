/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The shape of a build: a digest of the ids, hashes and numbers of counters of its functions. It is that of a set: the
 * order of the functions, and one that is there twice, are nothing to it. So the raw profile, the indexed one that it
 * was merged to, and the program have the same. */
#ifndef INSTR_BUILD_SHAPE_H
#define INSTR_BUILD_SHAPE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/vec.h"

struct build_shape {
    VEC(uint64_t) list; /* a digest of each function */
};

/* False: memory is out. */
bool build_shape_add(struct build_shape *s, uint64_t id, uint64_t hash, uint64_t n_counters) MUST_USE;
/* *digest is 0 where there are no functions. Empties *s. False: memory is out. */
bool build_shape_finish(struct build_shape *s, uint64_t *digest) MUST_USE;

#endif
