/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* anyprof merge */
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include <anyprof/merge.h>

#include "correlation.h"
#include "limits.h"
#include "merge_inputs.h"
#include "merge_summary.h"
#include "name_changes.h"
#include "places.h"
#include "progress.h"
#include "report.h"
#include "write_options.h"

#define DEFAULT_RESERVOIR 100u /* traces, as in LLVM */
#define DEFAULT_LENGTH 10000u  /* functions of a trace */
#define PREVIOUS_MEMPROF 3u    /* what --write-prev-version writes: LLVM 22 does not read what LLVM 18 does */

static struct apf_tolerance tolerance_of(const struct arguments *args)
{
    static const enum apf_failure_mode modes[] = {
        [FAILURE_ANY] = APF_FAIL_ANY, [FAILURE_ALL] = APF_FAIL_ALL, [FAILURE_WARN] = APF_FAIL_WARN};
    struct apf_tolerance t = {(int32_t)modes[option_number(args, OPT_FAILURE_MODE, FAILURE_ANY)], 0};
    if (args->values[OPT_MAX_LOSS].place > args->values[OPT_FAILURE_MODE].place) {
        t.mode = APF_FAIL_SHARE;
        t.max_loss = (uint32_t)option_number(args, OPT_MAX_LOSS, 0);
    }
    return t;
}

/* Whether no input is left, or only salvaged ones whose functions nobody has the names of. */
static bool nothing_is_left(const struct apf_merge *merge)
{
    const struct apf_tolerance whatever_is_left = {APF_FAIL_ALL, 0};
    return apf_merge_verdict(merge, &whatever_is_left) != APF_OK;
}

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

/* Whether what is left of the inputs is enough for a result. */
static bool accept(const struct session *session, const struct apf_merge *merge,
                   const struct apf_tolerance *tolerance)
{
    const struct apf_merge_stats *s = apf_merge_stats(merge);
    int code = apf_merge_verdict(merge, tolerance);
    if (code == APF_OK)
        return true;
    if (code == APF_EMPTY_PROFILE)
        report_error(session, NULL, "no profile can be merged: every input is empty");
    else if (s->n_salvaged && nothing_is_left(merge))
        report_error(session, NULL,
                     "no profile can be merged: of what could be salvaged no name is known; "
                     "an intact input of the same program, or --binary-file=PROGRAM, has them");
    else if (tolerance->mode == APF_FAIL_SHARE && s->n_merged + s->n_salvaged + s->n_held)
        report_error(session, NULL, "more inputs are lost than --max-loss allows: %" PRIu64 " of %" PRIu64,
                     s->n_rejected + s->n_empty + s->n_salvaged, s->n_inputs);
    else
        report_error(session, NULL, "no profile can be merged");
    return false;
}

/* Whether the output would be nothing in place of something. That is tolerated, but not done; and it is said, whatever
 * is to be quiet. */
static bool keep_old_output(const struct session *session, const struct arguments *args,
                            const struct apf_merge *merge)
{
    const char *path = option_text(args, OPT_OUTPUT, "-");
    if (!nothing_is_left(merge) || !place_has_file(path))
        return false;
    report_error(session, path, "left as it was: no input can be merged");
    return true;
}

/* ---- the output ---- */

/* The options of the output. 0, or an exit code after a report. */
static int output_options(struct apf_write_options *w, const struct session *session,
                          const struct arguments *args)
{
    uint64_t format = option_number(args, OPT_FORMAT, FORMAT_BINARY);
    bool previous = option_flag(args, OPT_WRITE_PREV_VERSION) &&
                    args->values[OPT_WRITE_PREV_VERSION].place > args->values[OPT_FOR].place;
    const char *older = previous && format == FORMAT_TEXT ? NULL : "indexed-11"; /* text has no version */
    const char *target = previous ? older : option_text(args, OPT_FOR, NULL);
    int code = write_options_of(w, session, args, target, format == FORMAT_TEXT);
    if (code != 0)
        return code;
    if (previous && !(w->flags & APF_WRITE_MEMPROF_VERSION)) {
        w->flags |= APF_WRITE_MEMPROF_VERSION;
        w->memprof_version = PREVIOUS_MEMPROF;
    }
    if (format == FORMAT_GCC) {
        report_error(session, NULL, "unknown format is specified");
        return session->persona->usage_exit;
    }
    if (option_flag(args, OPT_DELETE_INPUTS) && strcmp(option_text(args, OPT_OUTPUT, "-"), "-") == 0) {
        report_error(session, NULL, "--delete-inputs needs a file as the output: give -o FILE");
        return session->persona->usage_exit;
    }
    if (format == FORMAT_BINARY && place_is_terminal(option_text(args, OPT_OUTPUT, "-"))) {
        report_error(session, NULL, "cannot write a non-text format profile to the terminal");
        return session->persona->usage_exit;
    }
    return 0;
}

static int write_result(struct apf_merge *merge, const struct session *session, const struct arguments *args,
                        const struct apf_write_options *options)
{
    struct apf_error error;
    struct apf_output output = {option_text(args, OPT_OUTPUT, "-"), NULL, NULL, 0};
    if (apf_merge_write(merge, options, &output, &error) == APF_OK)
        return 0;
    return write_failed(session, &output, &error);
}

/* After the profile, or instead of it. The exit code; `code` is that of the merge. */
static int write_report(const struct apf_merge *merge, const struct session *session,
                        const struct arguments *args, int code)
{
    struct apf_error error;
    struct apf_tolerance tolerance = tolerance_of(args);
    struct apf_output output = {place_of_report(args), NULL, NULL, 0};
    if (!output.path)
        return code;
    if (place_is_taken(session, args))
        return EXIT_DATA;
    if (apf_merge_write_report(merge, &tolerance, &output, &error) == APF_OK)
        return code;
    report_failure(session, output.path, &error);
    return EXIT_DATA;
}

/* ---- the merge ---- */

static void merge_options_of(struct apf_merge_options *m, const struct arguments *args,
                             struct findings *findings, struct name_changes *names)
{
    memset(m, 0, sizeof *m);
    m->size = sizeof *m;
    m->options = limits_of(args);
    m->options.threads = (uint32_t)option_number(args, OPT_THREADS, 0);
    m->options.flags = (option_flag(args, OPT_DROP_MEMPROF) ? APF_FLAG_DROP_MEMPROF : 0) |
                       (option_flag(args, OPT_SALVAGE) ? APF_FLAG_SALVAGE : 0);
    m->options.diag = findings_take;
    m->options.user = findings;
    m->options.progress = progress_take;
    m->options.progress_user = findings->session->progress;
    m->trace_reservoir = option_number(args, OPT_TRACE_RESERVOIR, DEFAULT_RESERVOIR);
    m->trace_length = option_number(args, OPT_TRACE_LENGTH, DEFAULT_LENGTH);
    if (m->trace_reservoir == 0)
        m->flags |= APF_MERGE_NO_TRACES;
    if (m->trace_length == 0)
        m->flags |= APF_MERGE_FORGET_TRACES;
    name_changes_ask(names, m);
    if (option_flag(args, OPT_DELETE_INPUTS))
        m->flags |= APF_MERGE_REMOVE_INPUTS;
    if (option_text(args, OPT_REPORT, NULL))
        m->flags |= APF_MERGE_FIND_LOSSES;
    if (strcmp(option_text(args, OPT_OUTPUT, "-"), "-") != 0)
        m->output = option_text(args, OPT_OUTPUT, "-");
}

/* Files that are not there must have been merged and removed by a run that was interrupted. */
static bool missing_are_merged(const struct merge_inputs *inputs, const struct session *session,
                               const struct apf_merge *merge)
{
    for (size_t i = 0; i < inputs->n_missing; i++) {
        size_t number = inputs->missing[i];
        const struct apf_input_result *result = apf_merge_input(merge, number);
        if (result && result->code == APF_ALREADY_MERGED)
            continue;
        report_errno(session, inputs->data[number].path, ENOENT);
        return false;
    }
    return true;
}

/* Everything behind the reading of the inputs. */
static int conclude(struct apf_merge *merge, const struct session *session, const struct arguments *args,
                    const struct apf_write_options *write, const struct findings *findings,
                    const struct name_changes *names)
{
    struct apf_tolerance tolerance = tolerance_of(args);
    struct apf_instr *view;
    struct apf_error error;
    if (!findings->quiet)
        merge_report_inputs(session, merge);
    if (names_may_be_lost(merge) && apf_merge_view(merge, &view, &error) != APF_OK) {
        report_failure(session, NULL, &error);
        return EXIT_DATA;
    }
    if (!accept(session, merge, &tolerance)) {
        if (findings->quiet)
            merge_report_inputs(session, merge); /* an error must say why */
        return EXIT_DATA;
    }
    if (keep_old_output(session, args, merge)) {
        if (findings->quiet)
            merge_report_inputs(session, merge);
        return 0;
    }
    int code = write_result(merge, session, args, write);
    if (code == 0 && !findings->quiet) {
        name_changes_report(names, apf_merge_stats(merge));
        findings_rest(findings);
        merge_report_summary(session, apf_merge_stats(merge), write->format == APF_FORMAT_TEXT);
        merge_report_removal(session, apf_merge_stats(merge));
    }
    return code == 0 && apf_merge_stats(merge)->n_undeletable ? EXIT_DATA : code;
}

/* The long part of a merge. */
static int read_inputs(struct apf_merge *merge, const struct merge_inputs *inputs,
                       const struct session *session, const struct arguments *args, struct apf_error *error)
{
    progress_begin(session, args);
    int code = apf_merge_add(merge, inputs->data, inputs->n, error);
    progress_end(session);
    return code;
}

static int merge_all(const struct merge_inputs *inputs, const struct session *session,
                     const struct arguments *args, struct name_changes *names,
                     const struct apf_write_options *write)
{
    struct apf_error error;
    struct apf_merge_options options;
    struct findings findings = {session, {0}, option_flag(args, OPT_QUIET)};
    struct correlation correlation;
    struct apf_merge *merge = NULL;
    merge_options_of(&options, args, &findings, names);
    int code = correlation_open(&correlation, &options.options, session, args);
    if (code)
        return code;
    if (apf_merge_new(&merge, &options, &error) != APF_OK) {
        report_failed_call(session, NULL, options.output, &error);
        code = EXIT_DATA;
    } else if (read_inputs(merge, inputs, session, args, &error) != APF_OK) {
        report_failed_call(session, NULL, options.output, &error);
        code = EXIT_DATA;
    } else if (!correlation_name(&correlation, merge) || !correlation_tell(&correlation)) {
        code = EXIT_DATA;
    } else if (!missing_are_merged(inputs, session, merge)) {
        code = EXIT_DATA;
    } else {
        code = conclude(merge, session, args, write, &findings, names);
        code = write_report(merge, session, args, code);
    }
    apf_merge_free(merge);
    correlation_close(&correlation);
    return code;
}

static int merge_inputs(const struct merge_inputs *inputs, const struct session *session,
                        const struct arguments *args)
{
    struct apf_write_options write;
    struct name_changes names = {0};
    int code = output_options(&write, session, args);
    if (code)
        return code;
    if (place_is_taken(session, args) || place_is_precious(session, args, inputs))
        return session->persona->usage_exit;
    code = name_changes_take(&names, session, args, inputs);
    if (code == 0)
        code = merge_all(inputs, session, args, &names, &write);
    name_changes_free(&names);
    return code;
}

static void dump_inputs(const struct merge_inputs *inputs)
{
    for (size_t i = 0; i < inputs->n; i++)
        printf("%" PRIu64 ",%s\n", inputs->data[i].weight, inputs->data[i].path);
}

int cmd_merge(const struct session *session, const struct arguments *args)
{
    struct merge_inputs inputs = {0};
    /* A reader that went away is an error that is reported; and a merge into a file does not end because nobody reads
     * its messages. */
    signal(SIGPIPE, SIG_IGN);
    int code = merge_inputs_collect(&inputs, session, args);
    if (code == 0 && merge_inputs_are_empty(&inputs, session, args)) {
        code = EXIT_DATA;
    } else if (code == 0 && inputs.n == 0) {
        report_error(session, NULL, "no input files specified. See %s merge -help",
                     session->persona->program);
        code = session->persona->usage_exit;
    } else if (code == 0 && option_flag(args, OPT_DUMP_INPUT_FILE_LIST)) {
        dump_inputs(&inputs);
    } else if (code == 0 && option_number(args, OPT_KIND, KIND_INSTR) != KIND_INSTR) {
        report_error(session, NULL,
                     "--sample is not supported yet: use LLVM's own llvm-profdata for sample profiles");
        code = session->persona->usage_exit;
    } else if (code == 0) {
        code = merge_inputs(&inputs, session, args);
    }
    merge_inputs_free(&inputs);
    return code;
}
