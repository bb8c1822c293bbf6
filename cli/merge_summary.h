/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What a merge says on stderr: findings while it runs, bad inputs, and what was lost or changed. */
#ifndef CLI_MERGE_SUMMARY_H
#define CLI_MERGE_SUMMARY_H

#include <anyprof/merge.h>

#include "command.h"

#define FINDING_CODES 80 /* codes beyond share the last place */
#define FINDINGS_PRINTED 10u

/* Of each kind of finding a few lines are printed, then they are counted. */
struct findings {
    const struct session *session;
    uint64_t seen[FINDING_CODES];
    bool quiet;
};

/* An apf_diag_fn; `user` is a struct findings. */
int findings_take(void *user, const struct apf_diag *diag);
/* "note: 25 more: ..." for what was not printed. */
void findings_rest(const struct findings *findings);

/* A warning for each input that was rejected. */
void merge_report_inputs(const struct session *session, const struct apf_merge *merge);
/* Notes on what became of the inputs' files. */
void merge_report_removal(const struct session *session, const struct apf_merge_stats *stats);
/* Notes on what was lost or changed; nothing when nothing was. */
void merge_report_summary(const struct session *session, const struct apf_merge_stats *stats, bool text);

#endif
