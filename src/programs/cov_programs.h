/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Coverage of programs, bound to a profile. */
#ifndef PROGRAMS_COV_PROGRAMS_H
#define PROGRAMS_COV_PROGRAMS_H

#include <anyprof/cov.h>

#include "programs/cov_ids.h"
#include "programs/cov_profile.h"

struct apf_cov {
    struct coverage coverage;
    struct cov_file *programs;
    size_t n_programs;
    VEC(struct cov_object) objects;
    struct cov_profile profile;
    struct cov_ids profile_ids, program_ids;
    uint32_t *files; /* numbers of the names of all source files, by name */
    size_t n_files;
    uint32_t *numbers; /* for each name of a file, its place in `files`; NULL: they are not known yet */
    apf_cov_filter_fn *filter; /* of functions, while programs are read */
    void *filter_user;
};

/* Files that are wanted, in order. */
struct file_choice {
    uint32_t *files; /* for free() */
    size_t n;
};
/* Chooses the source files that are a source, or below it, or all, and that the filter, unless it is NULL, takes. */
int file_choice_make(struct file_choice *f, const struct apf_cov *cov, const struct apf_cov_write_options *o,
                     struct apf_error *error);

/* A function as the public interface has it. */
struct apf_cov_function cov_function_of(const struct apf_cov *cov, const struct cov_function *f);

#endif
