/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Changes and filters of names in a merge: --remapping-file, --prefix-map, --function, --no-function. */
#ifndef CLI_NAME_CHANGES_H
#define CLI_NAME_CHANGES_H

#include <anyprof/merge.h>

#include "merge_inputs.h"
#include "name_pattern.h"

/* All zero: no changes. */
struct name_changes {
    char *remapping; /* content of the remapping file; remaps points into it */
    struct apf_name_change *remaps, *prefixes;
    size_t n_remaps, n_prefixes;
    struct name_pattern keep, drop;
    struct name_text name; /* of the filter */
};

/* 0, or an exit code after a report. name_changes_free must follow either way. */
int name_changes_parse(struct name_changes *names, const struct session *session,
                       const struct arguments *args, const struct merge_inputs *inputs);
void name_changes_free(struct name_changes *names);

/* Sets the options of a merge; `names` must outlive the merge. */
void name_changes_set(struct name_changes *names, struct apf_merge_options *options);
void name_changes_set_samples(struct name_changes *names, struct apf_sample_merge_options *options);
/* Prints, in LLVM's words, how many functions were left out, and warns of options that match nothing. */
void name_changes_report(const struct name_changes *names, const struct session *session,
                         const struct apf_merge_stats *stats);
void name_changes_report_samples(const struct name_changes *names, const struct session *session,
                                 const struct apf_sample_merge_stats *stats);

#endif
