/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Nested profiles of context-sensitive ones: a function in a context becomes an inlined function of its caller, as in
 * LLVM. */
#ifndef SAMPLE_NEST_H
#define SAMPLE_NEST_H

#include "sample/model/sample_resolve.h"

/* Makes a nested profile of a plain one with contexts, whose names it shares. A function whose caller in this
 * context has a profile becomes a part of that one, in place of the calls there; any other is added to the function
 * without a context. With `merged_base`, functions that become inlined ones are added there, too, and are marked
 * with APF_SAMPLE_DUPLICATED where they are inlined. APF_LIMIT if functions would be inlined deeper than
 * SAMPLE_MAX_DEPTH. */
int sample_nest(const struct apf_sample *from, bool merged_base, struct apf_sample **nested,
                struct sample_losses *losses, struct apf_error *error);

#endif
