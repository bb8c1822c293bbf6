/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Messages of a merge: findings while it runs, bad inputs, and what was lost or changed. */
#ifndef CLI_MERGE_SUMMARY_H
#define CLI_MERGE_SUMMARY_H

#include <anyprof/merge.h>

#include "demangle.h"
#include "merge_verdict.h"

#define FINDING_CODES 128 /* larger codes share the last counter */
#define FINDINGS_PRINTED 10u

/* Counters of findings by their code: of each code only the first ones are printed. */
struct findings {
    const struct session *session;
    uint64_t seen[FINDING_CODES];
    bool quiet;
    struct demangler *names; /* shows the names of functions; NULL: they stay as they are */
};

/* An apf_diag_fn; `user` is a struct findings. */
int findings_print(void *user, const struct apf_diag *diag);
/* "note: 25 more: ..." for findings that were not printed. */
void findings_rest(const struct findings *findings);

/* Reports in one line what was merged into what. */
void merge_report_result(const struct session *session, const struct apf_merge *merge, const char *path,
                         bool text);
/* Notes on the removal of inputs. */
void merge_report_removal(const struct session *session, struct merge_counts counts);
/* Notes how many inputs were rejected or empty. */
void merge_report_lost(const struct session *session, struct merge_counts counts);
/* Notes on what was lost or changed, if anything was. */
void merge_report_summary(const struct session *session, const struct apf_merge_stats *stats, bool text);

#endif
