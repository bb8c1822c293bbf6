/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Coverage of programs, bound to a profile. */
#ifndef PROGRAMS_COV_PROGRAMS_H
#define PROGRAMS_COV_PROGRAMS_H

#include <anyprof/cov.h>
#include <anyprof/merge.h>

#include "base/sort.h"
#include "cov/coverage.h"

struct apf_cov {
    struct coverage coverage;
    struct cov_file *programs;
    size_t n_programs;
    VEC(struct cov_object) objects;
    struct apf_instr *instr; /* NULL: nothing was executed */
    struct apf_merge *merge; /* whose view `instr` is, or NULL */
    struct sort_key *by_id;  /* its records by the ids of their names */
    struct hash_index ids;   /* the first entry of each id */
    size_t n_records;
    uint32_t *files; /* numbers of the names of all source files, by name */
    size_t n_files;
    uint32_t *numbers; /* for each name of a file, its place in `files`; NULL: they are not known yet */
    apf_cov_filter_fn *filter; /* of functions, while programs are read */
    void *filter_user;
};

/* A function as the public interface has it. */
struct apf_cov_function cov_function_of(const struct apf_cov *cov, const struct cov_function *f);

#endif
