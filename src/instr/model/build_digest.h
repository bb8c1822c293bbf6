/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A digest of a build: of the ids, hashes and numbers of counters of its functions, as a set. Neither the order of the
 * functions nor repetitions change the digest, so a raw profile, the indexed profile made of it and the program have
 * the same one. */
#ifndef INSTR_BUILD_DIGEST_H
#define INSTR_BUILD_DIGEST_H

#include <stdbool.h>
#include <stdint.h>

#include "base/vec.h"

struct build_digest {
    VEC(uint64_t) list; /* a digest of each function */
};

/* False: allocation failed. */
bool build_digest_add(struct build_digest *d, uint64_t id, uint64_t hash, uint64_t n_counters) MUST_USE;
/* Sets *digest, to 0 if there are no functions, and empties *d. False: allocation failed. */
bool build_digest_finish(struct build_digest *d, uint64_t *digest) MUST_USE;

#endif
