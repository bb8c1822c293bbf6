/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Flat profiles: no function has a context, and inlined functions become functions at the top level, as in LLVM. */
#ifndef SAMPLE_FLAT_H
#define SAMPLE_FLAT_H

#include "sample/model/sample_resolve.h"

/* Makes a flat profile of a plain one, whose names it shares. With contexts: functions are added up without them and
 * keep what is inlined in them. Else each inlined function is added to the profile of its own name, and its caller gets
 * a call instead: the estimate of its entries is a count of the line and of the target. Inlined functions with
 * APF_SAMPLE_DUPLICATED, which their own profiles have already, are not added again. */
int sample_flatten(const struct apf_sample *from, struct apf_sample **flat, struct sample_losses *losses,
                   struct apf_error *error);

#endif
