/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Whether so much was lost that there should be no result. The inputs must have been counted (inputs_count). */
#ifndef INPUTS_VERDICT_H
#define INPUTS_VERDICT_H

#include "inputs/inputs.h"

/* APF_ARGUMENT, about an option: the tolerance has no known mode. NULL is fine. */
int inputs_tolerance_check(const struct apf_tolerance *tolerance, struct apf_error *error);

/* APF_OK if so little was lost that there may be a result; else APF_EMPTY_PROFILE (every input is empty) or
 * APF_INVALID_PROFILE (too many inputs are lost, or room->is_void). Without any input APF_OK. */
int inputs_verdict(const struct inputs *in, const struct apf_tolerance *tolerance);
/* inputs_verdict for a caller, who decides from now on, until inputs_outdate. `tolerance` NULL: that of the merge. */
int inputs_judge(struct inputs *in, const struct apf_tolerance *tolerance);

/* Fails, with the first input that was lost, if more was lost than the merge's tolerance permits. Without a tolerance
 * nothing may be lost, unless the caller has asked inputs_judge. */
int inputs_refuse_losses(const struct inputs *in, struct apf_error *error);
/* Counts all inputs anew, of a merge that decides nothing and removes its inputs. Fails as inputs_refuse_nothing if
 * there is nothing to write: neither an input that was added nor a partial profile. */
int inputs_count_all(struct inputs *in, struct apf_error *error);
/* Fails, with the first input, if every input was lost or is empty. */
int inputs_refuse_nothing(const struct inputs *in, struct apf_error *error);

#endif
