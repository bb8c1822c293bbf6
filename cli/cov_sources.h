/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Source files of coverage: those that were named, those that cannot be read, and those that are newer than the
 * program. */
#ifndef CLI_COV_SOURCES_H
#define CLI_COV_SOURCES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include <anyprof/cov.h>

struct cov_request;

/* What became of the source files that were looked for. All zero: none was. */
struct cov_sources {
    char **missing; /* names of those that could not be read */
    size_t n_missing;
    char *newer; /* the name of the first one that is newer than all programs, or NULL */
    uint64_t n_newer;
    struct timespec built; /* when the newest program was written; 0: unknown */
};

void cov_sources_free(struct cov_sources *s);
/* Finds out when the programs were written. In llvm-cov's mode, reports those that are newer than all profiles. */
void cov_sources_check_times(struct cov_request *r);
/* Whether a program is newer than all profiles, after cov_sources_check_times. */
bool cov_sources_are_stale(const struct cov_request *r);
/* When the newest of the profiles was written, in seconds since 1970; 0: unknown. */
uint64_t cov_sources_profile_time(const struct cov_request *r);
/* An apf_cov_source_fn, whose `user` is the request. */
void cov_sources_looked(void *user, const struct apf_cov_source *source);
/* An apf_cov_changed_fn, whose `user` is the request. */
void cov_sources_changed(void *user, struct apf_str name);
/* Reports what is to be said once about all source files, unless there is --quiet. */
void cov_sources_report(const struct cov_request *r, const struct apf_cov *cov);
/* Whether an output would replace a source file. True: reported. */
bool cov_sources_are_replaced(struct cov_request *r, const struct apf_cov *cov);
/* Replaces the sources that were named by their names in the programs, and drops those that are not covered, which is
 * reported. 0, or an exit code after a report: none is left. */
int cov_sources_find(struct cov_request *r, const struct apf_cov *cov, uint32_t format);

#endif
