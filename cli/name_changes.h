/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What `merge` is asked to do with names: --remapping-file, --prefix-map, --function, --no-function. */
#ifndef CLI_NAME_CHANGES_H
#define CLI_NAME_CHANGES_H

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
struct name_changes {
    char *remapping; /* the file; remaps points into it */
    struct apf_name_change *remaps, *prefixes;
    size_t n_remaps, n_prefixes;
    struct name_pattern keep, drop;
    char *name; /* the one being looked at, terminated */
    size_t capacity;
};

/* 0, or an exit code after a report. name_changes_free must follow either way. */
int name_changes_take(struct name_changes *names, const struct session *session, const struct arguments *args,
                      const struct merge_inputs *inputs);
void name_changes_free(struct name_changes *names);

/* Fills in the options of a merge; `names` must outlive it. */
void name_changes_ask(struct name_changes *names, struct apf_merge_options *options);
/* Says, in LLVM's words, how many functions were left out. */
void name_changes_report(const struct name_changes *names, const struct apf_merge_stats *stats);

#endif
