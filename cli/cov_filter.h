/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Which functions are shown: by their names, and by how much of them ran. */
#ifndef CLI_COV_FILTER_H
#define CLI_COV_FILTER_H

#include <anyprof/cov.h>

#include "demangle.h"
#include "name_pattern.h"
#include "options.h"

/* Limits of shares; those that were not given are not asked. */
enum { LIMIT_REGION_BELOW, LIMIT_REGION_ABOVE, LIMIT_LINE_BELOW, LIMIT_LINE_ABOVE, FUNCTION_LIMITS };

/* All zero: all functions. */
struct cov_filter {
    const char *const *parts; /* names contain one of them */
    size_t n_parts;
    struct name_pattern *patterns;
    size_t n_patterns;
    char **globs; /* of --name-allowlist: whole names, with '*' for any characters */
    size_t n_globs;
    bool by_name, by_share;
    bool given[FUNCTION_LIMITS];
    double limits[FUNCTION_LIMITS]; /* per cent */
    struct name_text name;
    bool by_source;         /* names may also be those in the source code */
    struct demangler names; /* which shows these */
};

/* `strict`: as llvm-cov, which compares with the names in the program only. 0, or an exit code after a report.
 * cov_filter_free must follow either way. */
int cov_filter_parse(struct cov_filter *f, const struct session *session, const struct arguments *args,
                     bool strict);
void cov_filter_free(struct cov_filter *f);
/* Whether it leaves any function out. */
static inline bool cov_filter_is_given(const struct cov_filter *f)
{
    return f->by_name || f->by_share;
}
/* Whether a function is shown: 1, or 0; -1: out of memory. */
int cov_filter_wants(struct cov_filter *f, const struct apf_cov_function *function);

#endif
