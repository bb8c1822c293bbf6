/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* anyprof merge, of instrumentation profiles */
#include "merge_instr.h"

#include <stdio.h>
#include <string.h>

#include "merge_summary.h"
#include "merge_verdict.h"
#include "progress.h"
#include "write_options.h"

/* ---- the output ---- */

/* Whether every input that was merged is a salvaged one that lost its names. */
static bool names_may_be_lost(const struct apf_merge *merge)
{
    const struct apf_merge_stats *s = apf_merge_stats(merge);
    const struct apf_input_result *r;
    for (size_t i = 0; (r = apf_merge_input(merge, i)) != NULL; i++)
        if (r->code == APF_OK && (!r->salvage || r->salvage->nameless < r->salvage->functions))
            return false;
    return s->n_salvaged && !s->n_held;
}

static int write_profile(struct apf_merge *merge, const struct merge_request *r)
{
    struct apf_error error;
    struct apf_output output = apf_output_file(r->profile.path);
    if (apf_merge_write(merge, &r->write, &output, &error) == APF_OK)
        return 0;
    return write_failed(r->base.session, r->profile.path, &error);
}

/* Reports what became of the inputs, and writes the profile. Returns the exit code. */
static int conclude_merge(struct merge_outcome *outcome, const struct merge_request *r,
                          const struct findings *findings)
{
    struct apf_merge *merge = outcome->instr;
    const struct session *session = r->base.session;
    bool quiet = r->base.quiet;
    struct apf_instr *view;
    struct apf_error error;
    if (!quiet)
        merge_outcome_report(outcome, session, false);
    merge_outcome_keep(r);
    if (names_may_be_lost(merge) && apf_merge_view(merge, &view, &error) != APF_OK) {
        report_failure(session, NULL, &error);
        return EXIT_DATA;
    }
    bool accepted = merge_outcome_accept(outcome, r);
    if (!accepted || merge_outcome_keeps_old(outcome, r)) {
        if (quiet)
            merge_outcome_report(outcome, session, true); /* the reasons for the error */
        outcome->end = accepted ? MERGE_KEPT : MERGE_FAILED;
        return accepted ? 0 : EXIT_DATA;
    }
    int code = write_profile(merge, r);
    outcome->end = code == 0 ? MERGE_WRITTEN : MERGE_FAILED;
    const struct apf_merge_stats *stats = apf_merge_stats(merge);
    if (code == 0 && !quiet) {
        name_changes_report(&r->names, session, stats);
        findings_rest(findings);
        merge_report_summary(session, stats, r->write.format == APF_FORMAT_TEXT);
        merge_supplement_report(&r->supplement, session, stats);
        merge_report_removal(session, merge_outcome_counts(outcome));
        if (r->verbose)
            merge_report_result(session, merge, r->profile.path, r->write.format == APF_FORMAT_TEXT);
    }
    return code == 0 && stats->n_undeletable ? EXIT_DATA : code;
}

/* ---- the merge ---- */

static void set_options(struct apf_merge_options *m, struct apf_options *common, struct merge_request *r,
                        struct findings *findings)
{
    memset(m, 0, sizeof *m);
    m->size = sizeof *m;
    m->options = common;
    *common = r->base.limits;
    common->threads = r->threads;
    common->flags = r->flags;
    common->diag = findings_print;
    common->user = findings;
    m->trace_reservoir = r->trace_reservoir;
    m->trace_length = r->trace_length;
    m->flags = (r->trace_reservoir == 0 ? APF_MERGE_NO_TRACES : 0) |
               (r->trace_length == 0 ? APF_MERGE_FORGET_TRACES : 0) |
               (r->delete_inputs ? APF_MERGE_REMOVE_INPUTS : 0) |
               (r->report.path || r->page.path ? APF_MERGE_FIND_LOSSES : 0) |
               (r->partial ? APF_MERGE_PARTIAL : 0) | (r->forget_inputs ? APF_MERGE_FORGET_INPUTS : 0);
    m->slice = r->slice;
    m->output = strcmp(r->profile.path, "-") != 0 ? r->profile.path : NULL;
    name_changes_set(&r->names, m);
}

/* 0, or an exit code after a report. */
static int read_inputs(struct apf_merge **merge, const struct merge_request *r,
                       const struct apf_merge_options *options, struct apf_options *common)
{
    struct apf_error error;
    progress_begin(&r->base, common);
    int code = apf_merge_new(merge, options, &error);
    if (code == APF_OK && r->supplement.samples)
        code = apf_merge_supplement(*merge, r->supplement.samples, &r->supplement.options, &error);
    struct merge_inputs inputs;
    for (bool first = true; code == APF_OK && merge_request_next(r, &inputs, &first);)
        code = apf_merge_add(*merge, inputs.data, inputs.n, &error);
    progress_end(r->base.session);
    return exit_code_of_call(r->base.session, NULL, options->output, code, &error);
}

int merge_instr(struct merge_request *r)
{
    struct apf_merge_options options;
    struct apf_options common;
    struct demangler names = {0};
    struct findings findings = {r->base.session, {0}, r->base.quiet, r->demangles ? &names : NULL};
    struct correlation correlation;
    struct apf_merge *merge = NULL;
    set_options(&options, &common, r, &findings);
    int code = merge_supplement_read(&r->supplement, r->base.session);
    if (code == 0)
        code = correlation_open(&correlation, &common, &r->programs, &r->base);
    if (code)
        return code;
    if (r->demangles)
        (void)demangler_load(&names, r->base.session);
    code = read_inputs(&merge, r, &options, &common);
    struct merge_outcome outcome = {.instr = merge};
    if (code == 0 && (!correlation_name(&correlation, merge) || !correlation_warn(&correlation) ||
                      !merge_outcome_complete(&outcome, r)))
        code = EXIT_DATA;
    else if (code == 0)
        code = merge_outcome_write_report(&outcome, r,
                                          r->partial ? merge_outcome_write_partial(&outcome, r)
                                                     : conclude_merge(&outcome, r, &findings));
    apf_merge_free(merge);
    correlation_close(&correlation);
    demangler_free(&names);
    return code;
}
