/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What the commands about coverage have in common. */
#ifndef CLI_COV_H
#define CLI_COV_H

#include <anyprof/cov.h>

#include "name_pattern.h"
#include "request.h"

/* What --fail-under-* is about. */
enum { COV_GATE_LINES, COV_GATE_FUNCTIONS, COV_GATE_REGIONS, COV_GATE_BRANCHES, COV_GATES };

/* Replacements of beginnings of names. */
struct cov_changes {
    struct apf_name_change *list;
    size_t n;
};

struct cov_request {
    struct request base;
    struct apf_cov_options options;
    struct apf_options common;
    struct apf_input *programs, *profiles;
    char **profile_paths; /* of profiles that were found by a pattern or in a directory */
    size_t n_profile_paths;
    struct name_pattern *ignored; /* source files that are left out */
    size_t n_ignored;
    struct name_text name;
    char **sources;
    size_t n_sources;
    struct cov_changes source_map, prefix_map;
    struct cov_gate {
        bool given;
        double least; /* per cent */
    } gates[COV_GATES];
};

/* `r` is all zero. 0, or an exit code after a report. cov_request_free must follow either way. */
int cov_request_parse(struct cov_request *r, const struct session *session, const struct arguments *args);
void cov_request_free(struct cov_request *r);
/* Reads programs and profiles, writes the output, and reports which functions are not in it. Returns the exit code. */
int cov_request_run(struct cov_request *r, uint32_t format, uint32_t flags);

#endif
