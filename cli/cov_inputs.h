/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Programs and profiles of coverage: which were named, and what to do if they are something else. */
#ifndef CLI_COV_INPUTS_H
#define CLI_COV_INPUTS_H

#include <anyprof/io.h>

#include "options.h"
#include "session.h"

struct cov_request;

/* Profiles that were named, or found by a pattern or in a directory. */
struct cov_profiles {
    char **paths;
    size_t n;
    struct apf_input *inputs;
};

/* What a file is that was named as something else. */
enum cov_file_kind { COV_FILE_OTHER, COV_FILE_PROGRAM, COV_FILE_PROFILE };
enum cov_file_kind cov_inputs_kind(const struct session *session, const char *path);
/* How many of the arguments are programs: the first one is, but with --object or
 * --debug-file-directory only if it is a binary file. Under the name llvm-cov it always is. */
size_t cov_inputs_own(const struct session *session, const struct arguments *args);
/* Whether programs and profiles are given as they have to be. 0, or an exit code after a report. */
int cov_inputs_check(const struct session *session, const struct arguments *args);
/* Reports why programs and profiles could not be read, and what to do; returns the exit code. */
int cov_inputs_failed(const struct cov_request *r, const struct apf_error *error);

/* Finds the profiles that options name. 0, or an exit code after a report. cov_profiles_free must follow either way. */
int cov_profiles_find(struct cov_profiles *p, const struct session *session,
                      const struct option_value *named);
void cov_profiles_free(struct cov_profiles *p);

#endif
