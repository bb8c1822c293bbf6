/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What `merge` is asked to do with names: --remapping-file, --prefix-map, --function, --no-function. */
#ifndef CLI_MERGE_NAMES_H
#define CLI_MERGE_NAMES_H

#include <regex.h>

#include <anyprof/merge.h>

#include "merge_inputs.h"

/* A regular expression; those that begin with '?' are text, since names of Windows begin so. */
struct name_pattern {
    const char *text; /* NULL: there is none */
    bool is_regex;
    regex_t regex;
};

/* All zero: nothing is asked for. */
struct merge_names {
    char *remapping; /* the file; remaps points into it */
    struct apf_name_change *remaps, *prefixes;
    size_t n_remaps, n_prefixes;
    struct name_pattern keep, drop;
    char *name; /* the one being looked at, terminated */
    size_t capacity;
};

/* 0, or an exit code after a report. merge_names_free must follow either way. */
int merge_names_take(struct merge_names *names, const struct session *session, const struct arguments *args,
                     const struct merge_inputs *inputs);
void merge_names_free(struct merge_names *names);

/* Fills in the options of a merge; `names` must outlive it. */
void merge_names_ask(struct merge_names *names, struct apf_merge_options *options);
/* Says, in LLVM's words, how many functions were left out. */
void merge_names_report(const struct merge_names *names, const struct apf_merge_stats *stats);

#endif
