/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Names of local functions of a program in a profile: as another release of LLVM makes them, and with another path. */
#ifndef JOBS_CHECK_LOCAL_H
#define JOBS_CHECK_LOCAL_H

#include "base/vec.h"
#include "instr/model/profile.h"

/* The ids of the records of a profile. */
struct check_ids {
    VEC(uint64_t) list; /* ascending */
};
bool check_ids_take(struct check_ids *ids, const struct apf_instr *instr) MUST_USE;
void check_ids_free(struct check_ids *ids);

/* The id that a compiler reads the counts of a function under: its own, or, as clang does since LLVM 18, that of
 * FILE:NAME where the function is FILE;NAME, and the profile has that name only. False: allocation failed. */
bool check_local_id(const struct check_ids *ids, const struct apf_function *f, uint64_t *id) MUST_USE;

/* Local names of records, to be found by what remains when the directories are taken off. */
struct check_paths {
    struct hash_index index;
    VEC(const struct record *) list;
};
/* Adds the name of a record, unless it is not a local one. */
int check_paths_add(struct check_paths *paths, const struct apf_instr *instr, const struct record *r,
                    struct apf_error *error);
/* The record with the name and hash of a local function, but for the directories; NULL: none. */
const struct record *check_paths_find(const struct check_paths *paths, const struct apf_instr *instr,
                                      const struct apf_function *f);
/* Whether two such names differ in the separator only. */
bool check_paths_equal(struct apf_str a, struct apf_str b);
void check_paths_free(struct check_paths *paths);

#endif
