/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Changes and filters of names in a merge: --remapping-file, --prefix-map, --function, --no-function. */
#ifndef CLI_NAME_CHANGES_H
#define CLI_NAME_CHANGES_H

#include <regex.h>

#include <anyprof/merge.h>

#include "merge_inputs.h"

/* A regular expression, or plain text where it begins with '?', as names of Windows do. */
struct name_pattern {
    const char *text; /* NULL: no pattern */
    bool is_regex;
    regex_t regex;
};

/* All zero: no changes. */
struct name_changes {
    char *remapping; /* content of the remapping file; remaps points into it */
    struct apf_name_change *remaps, *prefixes;
    size_t n_remaps, n_prefixes;
    struct name_pattern keep, drop;
    char *name; /* buffer of the filter: the name as a terminated string */
    size_t capacity;
};

/* 0, or an exit code after a report. name_changes_free must follow either way. */
int name_changes_parse(struct name_changes *names, const struct session *session,
                       const struct arguments *args, const struct merge_inputs *inputs);
void name_changes_free(struct name_changes *names);

/* Sets the options of a merge; `names` must outlive the merge. */
void name_changes_set(struct name_changes *names, struct apf_merge_options *options);
/* Prints, in LLVM's words, how many functions were left out, and warns of options that match nothing. */
void name_changes_report(const struct name_changes *names, const struct session *session,
                         const struct apf_merge_stats *stats);

#endif
