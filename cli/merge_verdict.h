/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What became of the inputs of a merge, for merges of instrumentation and of sample profiles: messages about bad
 * inputs, whether there may be a result, and the report. */
#ifndef CLI_MERGE_VERDICT_H
#define CLI_MERGE_VERDICT_H

#include <anyprof/merge.h>
#include <anyprof/sample_merge.h>

#include "merge_request.h"

/* An input: its name, and the error why it was rejected, or NULL. */
struct merged_input {
    struct apf_str name;
    int32_t code;
    const struct apf_error *error;
    uint64_t n_inputs; /* several: of a partial profile without names */
};

/* MERGE_KEPT: an older result stays, because no input can be merged. */
enum merge_end { MERGE_FAILED, MERGE_KEPT, MERGE_WRITTEN };

/* One of the two kinds of merges, and how it ended. */
struct merge_outcome {
    struct apf_merge *instr;
    struct apf_sample_merge *samples; /* NULL: a merge of instrumentation profiles */
    enum merge_end end;
};

struct merge_counts {
    uint64_t n_inputs, n_merged, n_empty, n_rejected, n_salvaged, n_held;
    uint64_t n_removed, removed_bytes, n_undeletable;
};

struct merge_counts merge_outcome_counts(const struct merge_outcome *outcome);
/* False: there is no input i. */
bool merge_outcome_input(const struct merge_outcome *outcome, size_t i, struct merged_input *input);

/* A warning with advice for each input that was rejected; with `quiet`, an error without advice. */
void merge_outcome_report(const struct merge_outcome *outcome, const struct session *session, bool quiet);
/* Reports the first bad input as an error, as LLVM's tool ends at the first bad sample profile unless it tolerates bad
 * ones. False: there is none. */
bool merge_outcome_stops(const struct merge_outcome *outcome, const struct session *session);
/* Whether what is left of the inputs is enough for a result; false: reported. */
bool merge_outcome_accept(const struct merge_outcome *outcome, const struct merge_request *r);
/* Whether an output without functions would replace a file. Then the file stays, although the loss of all inputs is
 * tolerated; that is reported even with --quiet. */
bool merge_outcome_keeps_old(const struct merge_outcome *outcome, const struct merge_request *r);
/* Whether files that do not exist were merged and removed by a run that was interrupted, the options go with all
 * partial profiles and, if the inputs are our own parts, each was read; false: reported. */
bool merge_outcome_complete(const struct merge_outcome *outcome, const struct merge_request *r);

/* Keeps the messages that follow, if there is a page that has them: those about bad inputs, which come before, are in
 * its list of inputs. */
void merge_outcome_keep(const struct merge_request *r);
/* Writes a partial profile, or its slices, in place of the result. Bad inputs are reported, and judged by the merge
 * that takes it as an input. Returns the exit code. */
int merge_outcome_write_partial(const struct merge_outcome *outcome, const struct merge_request *r);
/* Writes the report of --report, after the profile. `code` is the exit code so far; returns the exit code. */
int merge_outcome_write_report(const struct merge_outcome *outcome, const struct merge_request *r, int code);

#endif
