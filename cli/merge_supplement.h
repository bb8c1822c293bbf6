/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* merge --supplement-instr-with-sample: a sample profile that corrects the result of a merge. */
#ifndef CLI_MERGE_SUPPLEMENT_H
#define CLI_MERGE_SUPPLEMENT_H

#include <anyprof/merge.h>
#include <anyprof/sample.h>

#include "merge_inputs.h"
#include "request.h"

/* All zero: no such option. */
struct supplement_request {
    const char *path; /* NULL: no sample profile */
    struct apf_sample_read_options read;
    struct apf_options common; /* those of `read` */
    struct apf_supplement_options options;
    struct apf_supplement *samples; /* the profile, once it is read */
};

/* 0, or an exit code after a report. merge_supplement_free must follow either way. `r` must keep its address. */
int merge_supplement_parse(struct supplement_request *r, const struct request *request,
                           const struct arguments *args, const struct merge_inputs *inputs);
/* Reads the profile. 0, or an exit code after a report. */
int merge_supplement_read(struct supplement_request *r, const struct session *session);
void merge_supplement_free(struct supplement_request *r);
/* Notes what was corrected. */
void merge_supplement_report(const struct supplement_request *r, const struct session *session,
                             const struct apf_merge_stats *stats);

#endif
