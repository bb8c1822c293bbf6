/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* anyprof merge */
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "advice.h"
#include "command.h"
#include "merge_request.h"
#include "merge_summary.h"
#include "progress.h"
#include "write_options.h"

/* ---- the verdict on the inputs ---- */

/* Whether no input is left, or only salvaged ones without the name of a function. */
static bool nothing_is_left(struct apf_merge *merge)
{
    const struct apf_tolerance accept_all = {APF_FAIL_ALL, 0};
    return apf_merge_verdict(merge, &accept_all) != APF_OK;
}

/* Whether every input that was merged is a salvaged one that lost its names. */
static bool names_may_be_lost(const struct apf_merge *merge)
{
    const struct apf_merge_stats *s = apf_merge_stats(merge);
    for (uint64_t i = 0; i < s->n_inputs; i++) {
        const struct apf_input_result *r = apf_merge_input(merge, i);
        if (r->code == APF_OK && (!r->salvage || r->salvage->nameless < r->salvage->functions))
            return false;
    }
    return s->n_salvaged && !s->n_held;
}

/* Whether an input is damaged, rather than something else or unsuitable. */
static bool some_are_damaged(const struct apf_merge *merge)
{
    const struct apf_input_result *r;
    char file[4096];
    for (size_t i = 0; (r = apf_merge_input(merge, i)) != NULL; i++) {
        snprintf(file, sizeof file, "%.*s", (int)r->name.n, r->name.p);
        if (apf_code_is_damage(r->code) && !advice_is_other(file, r->error))
            return true;
    }
    return false;
}

/* Reports that the bad inputs are not tolerated and, unless the program works as LLVM's tool, what to do. */
static void report_refusal(const struct merge_request *r, const struct apf_merge *merge)
{
    const struct apf_merge_stats *s = apf_merge_stats(merge);
    const struct session *session = r->base.session;
    bool salvage = (r->flags & APF_FLAG_SALVAGE) != 0;
    bool others = s->n_merged + s->n_salvaged + s->n_held != 0;
    if (session->persona->tool) {
        report_error(session, NULL, "no profile can be merged");
        return;
    }
    if (s->n_inputs == 1)
        report_error(session, NULL, "nothing is written: the only input is bad");
    else
        report_error(session, NULL, "nothing is written: %" PRIu64 " of %" PRIu64 " inputs %s bad",
                     s->n_rejected, s->n_inputs, s->n_rejected == 1 ? "is" : "are");
    if (r->base.quiet)
        return;
    if (others)
        report_note(session, "--max-loss=PCT or --failure-mode=all merges the other inputs%s",
                    salvage || !some_are_damaged(merge)
                        ? ""
                        : "; --salvage also keeps the intact parts of damaged ones");
    else if (!salvage && some_are_damaged(merge))
        report_note(session, "--salvage keeps the intact parts of damaged inputs");
}

static void report_too_many_lost(const struct merge_request *r, const struct apf_merge_stats *s)
{
    uint64_t lost = s->n_rejected + s->n_empty + s->n_salvaged;
    report_error(r->base.session, NULL,
                 "more inputs are lost than --max-loss allows: %" PRIu64 " of %" PRIu64, lost, s->n_inputs);
    if (!r->base.quiet)
        report_note(r->base.session, "nothing is written; --max-loss=%" PRIu64 " accepts that",
                    (lost * 100 + s->n_inputs - 1) / s->n_inputs);
}

/* Whether what is left of the inputs is enough for a result. */
static bool accept_inputs(const struct merge_request *r, struct apf_merge *merge)
{
    const struct session *session = r->base.session;
    const struct apf_merge_stats *s = apf_merge_stats(merge);
    int code = apf_merge_verdict(merge, &r->tolerance);
    if (code == APF_OK)
        return true;
    if (code == APF_EMPTY_PROFILE)
        report_error(session, NULL, "%s: every input is empty",
                     session->persona->tool ? "no profile can be merged" : "nothing is written");
    else if (s->n_salvaged && nothing_is_left(merge))
        report_error(session, NULL,
                     "no profile can be merged: the salvaged functions have lost their names; add an intact "
                     "input of the same program, or give --binary-file=PROGRAM");
    else if (r->tolerance.mode == APF_FAIL_SHARE && s->n_merged + s->n_salvaged + s->n_held)
        report_too_many_lost(r, s);
    else
        report_refusal(r, merge);
    return false;
}

/* Whether an output without records would replace a file. Then the file stays, although the loss of all inputs is
 * tolerated; that is reported even with --quiet. */
static bool keep_old_output(const struct merge_request *r, struct apf_merge *merge)
{
    if (!nothing_is_left(merge) || !place_has_file(r->profile.path))
        return false;
    report_error(r->base.session, r->profile.path, "left as it was: no input can be merged");
    return true;
}

/* Files that do not exist must have been merged and removed by a run that was interrupted. */
static bool missing_are_merged(const struct merge_request *r, const struct apf_merge *merge)
{
    for (size_t i = 0; i < r->inputs.n_missing; i++) {
        size_t number = r->inputs.missing[i];
        const struct apf_input_result *result = apf_merge_input(merge, number);
        if (result && result->code == APF_ALREADY_MERGED)
            continue;
        report_errno(r->base.session, r->inputs.data[number].path, ENOENT);
        return false;
    }
    return true;
}

/* ---- the output ---- */

static int write_profile(struct apf_merge *merge, const struct merge_request *r)
{
    struct apf_error error;
    struct apf_output output = apf_output_file(r->profile.path);
    if (apf_merge_write(merge, &r->write, &output, &error) == APF_OK)
        return 0;
    return write_failed(r->base.session, r->profile.path, &error);
}

/* Writes the report of --report, after the profile. `code` is the exit code so far; returns the exit code. */
static int write_report(const struct apf_merge *merge, const struct merge_request *r, int code)
{
    struct apf_error error;
    struct apf_output output = apf_output_file(r->report.path);
    if (!output.path)
        return code;
    if (place_is_shared(r->base.session, &r->report, &r->profile))
        return EXIT_DATA;
    int result = apf_merge_write_report(merge, &r->tolerance, &output, &error);
    return exit_code(r->base.session, output.path, result, &error) ? EXIT_DATA : code;
}

/* Reports what became of the inputs, and writes the profile. Returns the exit code. */
static int conclude_merge(struct apf_merge *merge, const struct merge_request *r,
                          const struct findings *findings)
{
    const struct session *session = r->base.session;
    bool quiet = r->base.quiet;
    struct apf_instr *view;
    struct apf_error error;
    if (!quiet)
        merge_report_inputs(session, merge, false);
    if (names_may_be_lost(merge) && apf_merge_view(merge, &view, &error) != APF_OK) {
        report_failure(session, NULL, &error);
        return EXIT_DATA;
    }
    bool accepted = accept_inputs(r, merge);
    if (!accepted || keep_old_output(r, merge)) {
        if (quiet)
            merge_report_inputs(session, merge, true); /* the reasons for the error */
        return accepted ? 0 : EXIT_DATA;
    }
    int code = write_profile(merge, r);
    const struct apf_merge_stats *stats = apf_merge_stats(merge);
    if (code == 0 && !quiet) {
        name_changes_report(&r->names, session, stats);
        findings_rest(findings);
        merge_report_summary(session, stats, r->write.format == APF_FORMAT_TEXT);
        merge_report_removal(session, stats);
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
               (r->report.path ? APF_MERGE_FIND_LOSSES : 0);
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
    if (code == APF_OK)
        code = apf_merge_add(*merge, r->inputs.data, r->inputs.n, &error);
    progress_end(r->base.session);
    return exit_code_of_call(r->base.session, NULL, options->output, code, &error);
}

static int merge_all(struct merge_request *r)
{
    struct apf_merge_options options;
    struct apf_options common;
    struct findings findings = {r->base.session, {0}, r->base.quiet};
    struct correlation correlation;
    struct apf_merge *merge = NULL;
    set_options(&options, &common, r, &findings);
    int code = correlation_open(&correlation, &common, &r->programs, &r->base);
    if (code)
        return code;
    code = read_inputs(&merge, r, &options, &common);
    if (code == 0 && (!correlation_name(&correlation, merge) || !correlation_warn(&correlation) ||
                      !missing_are_merged(r, merge)))
        code = EXIT_DATA;
    else if (code == 0)
        code = write_report(merge, r, conclude_merge(merge, r, &findings));
    apf_merge_free(merge);
    correlation_close(&correlation);
    return code;
}

static void print_inputs(const struct merge_inputs *inputs)
{
    for (size_t i = 0; i < inputs->n; i++)
        printf("%" PRIu64 ",%s\n", inputs->data[i].weight, inputs->data[i].path);
}

int cmd_merge(const struct session *session, const struct arguments *args)
{
    struct merge_request r = {0};
    signal(SIGPIPE, SIG_IGN); /* a failed write is reported; a merge into a file goes on if messages fail */
    int code = merge_request_parse(&r, session, args);
    if (code == 0 && r.list_inputs)
        print_inputs(&r.inputs);
    else if (code == 0)
        code = merge_all(&r);
    merge_request_free(&r);
    return code;
}
