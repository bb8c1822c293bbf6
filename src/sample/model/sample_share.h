/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Copies of a profile that share what does not change: a merge makes its views from sums that must stay. */
#ifndef SAMPLE_SHARE_H
#define SAMPLE_SHARE_H

#include "sample/model/sample_profile.h"

/* An empty profile with names that must stay as they are; NULL: allocation failed. */
struct apf_sample *sample_share_names(const struct sample_names *names);
/* An empty profile with the names of another one, and copies of its contexts, which keep their numbers. */
int sample_share_contexts(const struct apf_sample *from, struct apf_sample **to, struct apf_error *error);
/* A copy of a sealed profile with such names, without its list of symbols. Its nodes and their lists belong to `from`,
 * which must stay as it is; contexts and all else belong to the copy. Whatever changes nodes needs sample_share_nodes
 * before, and whatever changes entries of lists sample_share_own. */
int sample_share(const struct apf_sample *from, const struct sample_names *names, struct apf_sample **copy,
                 struct apf_error *error);
/* Makes the nodes the copy's own, unless they are. A list without room is shared: functions that add entries move it
 * first. */
int sample_share_nodes(struct apf_sample *copy, struct apf_error *error);
/* Makes nodes and the lists of callees, targets and vtables the copy's own. */
int sample_share_own(struct apf_sample *copy, struct apf_error *error);
/* Frees a profile whose names, and maybe nodes, belong to another one. NULL is fine. */
void sample_share_free(struct apf_sample *copy);

#endif
