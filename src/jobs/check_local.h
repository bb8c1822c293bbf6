/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Finds local functions of a program in a profile: under the names of another release of LLVM, or with another path. */
#ifndef JOBS_CHECK_LOCAL_H
#define JOBS_CHECK_LOCAL_H

#include "base/vec.h"
#include "instr/model/profile.h"

/* The ids of the records of a profile. */
struct check_ids {
    VEC(uint64_t) list; /* ascending */
};
bool check_ids_collect(struct check_ids *ids, const struct apf_instr *instr) MUST_USE;
void check_ids_free(struct check_ids *ids);

/* The id under which a compiler looks up the counts of a function: its own, or, in clang since LLVM 18, the id of
 * FILE:NAME where the function is FILE;NAME and the profile has only the former. False: allocation failed. */
bool check_local_id(const struct check_ids *ids, const struct apf_function *f, uint64_t *id) MUST_USE;

/* Local names of records, indexed without their directories. */
struct check_paths {
    struct hash_index index;
    VEC(const struct record *) list;
};
/* Adds the name of a record if it is local. */
int check_paths_add(struct check_paths *paths, const struct apf_instr *instr, const struct record *r,
                    struct apf_error *error);
/* The record with the hash of a local function, and its name except for the directories; NULL: none. */
const struct record *check_paths_find(const struct check_paths *paths, const struct apf_instr *instr,
                                      const struct apf_function *f);
/* Whether two local names differ only in the separator. */
bool check_paths_equal(struct apf_str a, struct apf_str b);
void check_paths_free(struct check_paths *paths);

#endif
