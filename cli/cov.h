/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What the commands about coverage have in common. */
#ifndef CLI_COV_H
#define CLI_COV_H

#include <anyprof/cov.h>

#include "cov_filter.h"
#include "cov_inputs.h"
#include "cov_sources.h"
#include "demangle.h"
#include "request.h"

/* What --fail-under-* is about. */
enum { COV_GATE_LINES, COV_GATE_FUNCTIONS, COV_GATE_REGIONS, COV_GATE_BRANCHES, COV_GATE_PATCH, COV_GATES };

struct cov_gate {
    bool given;
    uint64_t least; /* in millionths of a per cent */
};

/* Replacements of beginnings of names. */
struct cov_changes {
    struct apf_name_change *list;
    size_t n;
};

struct cov_request {
    struct request base;
    struct apf_cov_options options;
    struct apf_options common;
    size_t n_own; /* arguments that are programs: 0 or 1; the others are sources or functions */
    struct apf_input *programs;
    struct cov_profiles profiles;
    const char *report;  /* the file of --report, or NULL */
    const char *pages;   /* the directory of --output-dir, or NULL */
    const char *title;   /* of pages, or NULL */
    bool hides_time;     /* text pages do not say when the profile was made */
    uint32_t width;      /* of tables; 0: any */
    uint32_t good, fair; /* limits of shares on pages, in hundredths of a per cent; 0: the usual ones */
    struct cov_sources looked;
    bool without_sources;         /* the output needs no source files */
    struct name_pattern *ignored; /* source files that are left out */
    size_t n_ignored;
    struct name_text name;
    struct cov_filter functions; /* that are shown */
    struct demangler names;
    bool demangles;
    char **demangler; /* the words of -Xdemangler, and NULL; NULL: it was not given */
    char **sources;
    size_t n_sources;
    struct cov_changes source_map, prefix_map;
    struct cov_gate gates[COV_GATES];
};

/* `r` is all zero. 0, or an exit code after a report. cov_request_free must follow either way. */
int cov_request_parse(struct cov_request *r, const struct session *session, const struct arguments *args);
void cov_request_free(struct cov_request *r);

/* Whether an output would replace a file that is named, one of these profiles, or the other output. True: reported. */
bool cov_request_replaces(const struct cov_request *r, const struct arguments *args,
                          const struct cov_profiles *profiles);

/* Reads programs and profiles. 0, or an exit code after a report. */
int cov_request_open(struct cov_request *r, const struct apf_cov_options *options, struct apf_cov **cov);
/* Reports how many functions have no counts, or are not shown, unless there is --quiet. */
void cov_request_losses(const struct cov_request *r, const struct apf_cov *cov);
/* The same, and writes the file of --report. Returns the exit code. */
int cov_request_report(const struct cov_request *r, const struct apf_cov *cov);
/* An apf_name_filter_fn, whose `user` is the request: --ignore-filename-regex. */
int cov_request_wants(void *user, struct apf_str name);
/* Whether that much ran, or nothing is asked; else it is reported, and an exit code is returned. */
int cov_gate_check(const struct cov_request *r, const struct cov_gate *gate, const char *what,
                   const struct apf_cov_share *share);

/* Reads programs and profiles, writes the output, and reports which functions are not in it. Returns the exit code. */
int cov_request_run(struct cov_request *r, uint32_t format, uint32_t flags);

#endif
