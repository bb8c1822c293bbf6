/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Functions whose code the caller wants to skip. */
#ifndef BOLT_BOLT_SKIP_H
#define BOLT_BOLT_SKIP_H

#include "bolt/bolt_functions.h"
#include "object/program_functions.h"

/* Skips the cold fragments of skipped functions, and the functions of skipped fragments, as BOLT does. `p` has the
 * functions of `f` in the same order. False: allocation failed. */
bool bolt_skip_fragments(struct bolt_functions *f, const struct program_functions *p) MUST_USE;

#endif
