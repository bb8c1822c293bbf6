/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Digests that are the same for one function in all profiles that have it with one checksum: its context, or the
 * functions that it is inlined in with their checksums, its name's hash and its checksum. */
#ifndef SAMPLE_DIGESTS_H
#define SAMPLE_DIGESTS_H

#include "sample/model/sample_profile.h"

/* Makes the digests of all nodes, with the names of `names`, which the caller frees; NULL: an allocation failed. They
 * are part of the format of partial profiles. */
uint64_t *sample_digests_make(const struct apf_sample *s, const struct sample_names *names);
/* Makes the roster of a profile: the digests of the nodes with a checksum, sorted; only those can be left out of a
 * merge. *digests is for free(). */
int sample_digests_roster(const struct apf_sample *s, uint64_t **digests, size_t *n, struct apf_error *error);

#endif
