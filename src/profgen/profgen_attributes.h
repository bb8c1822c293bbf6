/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef PROFGEN_PROFGEN_ATTRIBUTES_H
#define PROFGEN_PROFGEN_ATTRIBUTES_H

#include "sample/model/sample_profile.h"

/* Gives the functions that sample_nest has made of several contexts, and what is inlined in them, the attributes of the
 * first context, as LLVM does: it adds up contexts in the order of a walk through the tree of calls that comes to a
 * caller after all that it calls, and to calls in the order of profgen_call_key. `nested` is what sample_nest made of
 * `from`, with the same `merged_base`. */
int profgen_first_attributes(const struct apf_sample *from, struct apf_sample *nested, bool merged_base,
                             struct apf_error *error);

#endif
