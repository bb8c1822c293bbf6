/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Build ids of programs, or of a profile, each once. */
#ifndef PROGRAMS_COV_IDS_H
#define PROGRAMS_COV_IDS_H

#include <anyprof/io.h>

#include "base/hash_index.h"
#include "base/vec.h"

/* All zero = empty. The bytes of ids belong to their files. */
struct cov_ids {
    VEC(struct apf_str) list;
    struct hash_index index;
};

/* Adds an id, unless it is empty or there. APF_LIMIT, APF_NO_MEMORY. */
int cov_ids_add(struct cov_ids *ids, struct apf_str id, struct apf_error *error);
bool cov_ids_have(const struct cov_ids *ids, struct apf_str id);
void cov_ids_free(struct cov_ids *ids);

#endif
