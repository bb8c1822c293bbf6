/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "merge_verdict.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "advice.h"
#include "kept_messages.h"
#include "memory.h"
#include "merge_summary.h"
#include "report_output.h"

/* The fields have the same names and meanings in both structures. */
#define COUNTS(s)                                                                                            \
    {(s)->n_inputs, (s)->n_merged,  (s)->n_empty,       (s)->n_rejected,   (s)->n_salvaged,                  \
     (s)->n_held,   (s)->n_removed, (s)->removed_bytes, (s)->n_undeletable}

struct merge_counts merge_outcome_counts(const struct merge_outcome *outcome)
{
    if (outcome->samples) {
        struct merge_counts counts = COUNTS(apf_sample_merge_stats(outcome->samples));
        return counts;
    }
    struct merge_counts counts = COUNTS(apf_merge_stats(outcome->instr));
    return counts;
}

bool merge_outcome_input(const struct merge_outcome *outcome, size_t i, struct merged_input *input)
{
    if (outcome->samples) {
        const struct apf_sample_input_result *r = apf_sample_merge_input(outcome->samples, i);
        if (r)
            *input = (struct merged_input){r->name, r->code, r->error, r->n_inputs};
        return r != NULL;
    }
    const struct apf_input_result *r = apf_merge_input(outcome->instr, i);
    if (r)
        *input = (struct merged_input){r->name, r->code, r->error, r->n_inputs};
    return r != NULL;
}

static int verdict(const struct merge_outcome *outcome, const struct apf_tolerance *tolerance)
{
    return outcome->samples ? apf_sample_merge_verdict(outcome->samples, tolerance)
                            : apf_merge_verdict(outcome->instr, tolerance);
}

static bool is_bad(const struct merged_input *input)
{
    return input->code != APF_OK && input->code != APF_EMPTY_PROFILE && input->code != APF_ALREADY_MERGED;
}

void merge_outcome_report(const struct merge_outcome *outcome, const struct session *session, bool quiet)
{
    struct merged_input input;
    char file[4096], several[64] = "";
    for (size_t i = 0; merge_outcome_input(outcome, i, &input); i++) {
        if (!is_bad(&input))
            continue;
        snprintf(file, sizeof file, "%.*s", (int)input.name.n, input.name.p);
        if (input.n_inputs > 1)
            snprintf(several, sizeof several, ": %" PRIu64 " of its inputs", input.n_inputs);
        (quiet ? report_error : report_warning)(session, shown_name(session, file, false), "%s%s",
                                                input.error->message, input.n_inputs > 1 ? several : "");
        if (quiet)
            continue;
        if (input.error->subject == APF_SUBJECT_MEMPROF)
            report_note(session, "--drop-memprof accepts it without its MemProf data");
        advise(session, file, input.error);
    }
}

bool merge_outcome_stops(const struct merge_outcome *outcome, const struct session *session)
{
    struct merged_input input;
    char file[4096];
    for (size_t i = 0; merge_outcome_input(outcome, i, &input); i++) {
        if (!is_bad(&input))
            continue;
        snprintf(file, sizeof file, "%.*s", (int)input.name.n, input.name.p);
        report_error(session, file, "%s", input.error->message);
        advise(session, file, input.error);
        return true;
    }
    return false;
}

/* Whether no input is left, or only salvaged ones without the name of a function. */
static bool nothing_is_left(const struct merge_outcome *outcome)
{
    const struct apf_tolerance accept_all = {APF_FAIL_ALL, 0};
    return verdict(outcome, &accept_all) != APF_OK;
}

/* Whether an input is damaged, rather than something else or unsuitable. */
static bool some_are_damaged(const struct merge_outcome *outcome, const struct session *session)
{
    struct merged_input input;
    char file[4096];
    for (size_t i = 0; merge_outcome_input(outcome, i, &input); i++) {
        snprintf(file, sizeof file, "%.*s", (int)input.name.n, input.name.p);
        if (apf_code_is_damage(input.code) && !advice_is_other(session, file, input.error))
            return true;
    }
    return false;
}

/* Reports that the bad inputs are not tolerated and, unless the program works as LLVM's tool, what to do. */
static void report_refusal(const struct merge_outcome *outcome, const struct merge_request *r)
{
    const struct merge_counts s = merge_outcome_counts(outcome);
    const struct session *session = r->base.session;
    bool salvage = (r->flags & APF_FLAG_SALVAGE) != 0;
    bool others = s.n_merged + s.n_salvaged + s.n_held != 0;
    if (session->persona->tool) {
        report_error(session, NULL, "no profile can be merged");
        return;
    }
    if (s.n_inputs == 1)
        report_error(session, NULL, "nothing is written: the only input is bad");
    else
        report_error(session, NULL, "nothing is written: %" PRIu64 " of %" PRIu64 " inputs %s bad",
                     s.n_rejected, s.n_inputs, s.n_rejected == 1 ? "is" : "are");
    if (r->base.quiet)
        return;
    if (others)
        report_note(session, "--max-loss=PCT or --failure-mode=all merges the other inputs%s",
                    salvage || !some_are_damaged(outcome, session)
                        ? ""
                        : "; --salvage also keeps the intact parts of damaged ones");
    else if (!salvage && some_are_damaged(outcome, session))
        report_note(session, "--salvage keeps the intact parts of damaged inputs");
    else if (some_are_damaged(outcome, session))
        report_note(session,
                    "nothing could be salvaged: no record of the damaged inputs is known to be intact");
}

static void report_too_many_lost(const struct merge_request *r, const struct merge_counts *s)
{
    uint64_t lost = s->n_rejected + s->n_empty + s->n_salvaged;
    report_error(r->base.session, NULL,
                 "more inputs are lost than --max-loss allows: %" PRIu64 " of %" PRIu64, lost, s->n_inputs);
    if (!r->base.quiet)
        report_note(r->base.session, "nothing is written; --max-loss=%" PRIu64 " accepts that",
                    (lost * 100 + s->n_inputs - 1) / s->n_inputs);
}

bool merge_outcome_accept(const struct merge_outcome *outcome, const struct merge_request *r)
{
    const struct session *session = r->base.session;
    const struct merge_counts s = merge_outcome_counts(outcome);
    int code = verdict(outcome, &r->tolerance);
    if (code == APF_OK)
        return true;
    if (code == APF_EMPTY_PROFILE)
        report_error(session, NULL, "%s: every input is empty",
                     session->persona->tool ? "no profile can be merged" : "nothing is written");
    else if (s.n_salvaged && !outcome->samples && nothing_is_left(outcome))
        report_error(session, NULL,
                     "no profile can be merged: the salvaged functions have lost their names; add an intact "
                     "input of the same program, or give --binary-file=PROGRAM");
    else if (r->tolerance.mode == APF_FAIL_SHARE && s.n_merged + s.n_salvaged + s.n_held)
        report_too_many_lost(r, &s);
    else
        report_refusal(outcome, r);
    return false;
}

bool merge_outcome_keeps_old(const struct merge_outcome *outcome, const struct merge_request *r)
{
    if (!nothing_is_left(outcome) || !place_has_file(r->profile.path))
        return false;
    report_error(r->base.session, r->profile.path, "left as it was: no input can be merged");
    return true;
}

/* Whether an error says that a file is no partial profile, or a damaged one, which it will stay. */
static bool is_no_part(int code)
{
    return code == APF_BAD_PARTIAL || code == APF_EMPTY_PROFILE || code == APF_UNRECOGNIZED_FORMAT ||
           code == APF_UNSUPPORTED_VERSION;
}

/* Whether no part is bad; their inputs, which have other names, may be. */
static bool all_were_read(const struct merge_outcome *outcome, const struct merge_request *r)
{
    struct merged_input input;
    for (size_t i = 0; merge_outcome_input(outcome, i, &input); i++)
        for (size_t k = 0; input.code != APF_OK && k < r->inputs.n; k++) {
            const char *name = r->inputs.data[k].path;
            if (strlen(name) != input.name.n || memcmp(name, input.name.p, input.name.n) != 0)
                continue;
            report_error(r->base.session, name, "%s", input.error->message);
            if (is_no_part(input.code) && remove(name) == 0)
                report_note(r->base.session, "it was removed: the same command makes it again");
            return false;
        }
    return true;
}

/* Whether an error says that options do not go with a partial profile, which is no fault of its many inputs. */
static bool is_misuse(const struct merged_input *input)
{
    static const char *const places[] = {"partial.limits", "partial.whole", "input.weight"};
    bool misuse = false;
    for (size_t i = 0; input->code == APF_UNSUPPORTED && i < sizeof places / sizeof *places; i++)
        misuse |= strcmp(input->error->where, places[i]) == 0;
    return misuse;
}

/* Whether the options go with all partial profiles; else it is reported. */
static bool options_suit(const struct merge_outcome *outcome, const struct session *session)
{
    struct merged_input input;
    char file[4096];
    bool suit = true;
    for (size_t i = 0; suit && merge_outcome_input(outcome, i, &input); i++)
        if (is_misuse(&input)) {
            snprintf(file, sizeof file, "%.*s", (int)input.name.n, input.name.p);
            report_failure(session, file, input.error);
            suit = false;
        }
    return suit;
}

bool merge_outcome_complete(const struct merge_outcome *outcome, const struct merge_request *r)
{
    if ((r->own_parts && !all_were_read(outcome, r)) || !options_suit(outcome, r->base.session))
        return false;
    for (size_t i = 0; i < r->inputs.n_missing; i++) {
        size_t number = r->inputs.missing[i];
        struct merged_input input;
        if (merge_outcome_input(outcome, number, &input) && input.code == APF_ALREADY_MERGED)
            continue;
        report_errno(r->base.session, r->inputs.data[number].path, ENOENT);
        return false;
    }
    return true;
}

static int write_slices(const struct merge_outcome *outcome, const struct merge_request *r)
{
    struct apf_error error;
    struct apf_output *outputs = (struct apf_output *)checked_realloc(NULL, r->n_slices, sizeof *outputs);
    for (uint32_t i = 0; i < r->n_slices; i++)
        outputs[i] = apf_output_buffer(&r->slices[i]);
    int code = outcome->samples
                   ? apf_sample_merge_write_slices(outcome->samples, outputs, r->n_slices, &error)
                   : apf_merge_write_slices(outcome->instr, outputs, r->n_slices, &error);
    free(outputs);
    return exit_code_of_call(r->base.session, NULL, r->profile.path, code, &error);
}

/* Whether something is wrong with an input that a later run may find right: it cannot be read, or its program is
 * missing. */
static bool may_pass(const struct merge_outcome *outcome, const struct merge_request *r)
{
    const bool correlates = !r->samples && (r->programs.programs->n_list || r->programs.directories->n_list);
    struct merged_input input;
    bool passes = false;
    for (size_t i = 0; r->passing_path && merge_outcome_input(outcome, i, &input); i++)
        passes |= input.code == APF_IO || input.code == APF_MISSING_CORRELATION ||
                  (input.code != APF_OK && correlates);
    return passes;
}

int merge_outcome_write_partial(const struct merge_outcome *outcome, const struct merge_request *r)
{
    struct apf_error error;
    if (!r->base.quiet)
        merge_outcome_report(outcome, r->base.session, false);
    if (r->slices)
        return write_slices(outcome, r);
    const char *path = may_pass(outcome, r) ? r->passing_path : r->profile.path;
    const struct apf_output output = apf_output_file(path);
    int code;
    if (r->undecided)
        code = apf_merge_write_undecided(outcome->instr, r->undecided, r->kind.names, &output, &error);
    else
        code = outcome->samples ? apf_sample_merge_write_partial(outcome->samples, &output, &error)
                                : apf_merge_write_partial(outcome->instr, &output, &error);
    code = exit_code_of_call(r->base.session, NULL, path, code, &error);
    const struct merge_counts counts = merge_outcome_counts(outcome);
    if (code || !r->delete_inputs)
        return code;
    if (!r->base.quiet)
        merge_report_removal(r->base.session, counts);
    return counts.n_undeletable ? EXIT_DATA : 0;
}

void merge_outcome_keep(const struct merge_request *r)
{
    if (r->base.session->kept)
        r->base.session->kept->on = r->page.path != NULL;
}

/* Writes the page. Returns `code`, or EXIT_DATA after a failure. */
static int write_page(const struct merge_outcome *outcome, const struct merge_request *r, int code)
{
    if (!r->page.path || r->partial)
        return code;
    if (r->base.session->kept)
        r->base.session->kept->on = false;
    if (place_is_shared(r->base.session, &r->page, &r->profile) ||
        place_is_shared(r->base.session, &r->page, &r->report))
        return EXIT_DATA;
    if (report_write_merge(&r->base, r->page.path, r->plain_page, outcome) == 0)
        return code;
    if (outcome->end == MERGE_WRITTEN)
        report_note(r->base.session, "the profile is written, the page is not");
    return EXIT_DATA;
}

int merge_outcome_write_report(const struct merge_outcome *outcome, const struct merge_request *r, int code)
{
    struct apf_error error;
    struct apf_output output = apf_output_file(r->report.path);
    code = write_page(outcome, r, code);
    if (!output.path)
        return code;
    if (place_is_shared(r->base.session, &r->report, &r->profile) ||
        (r->page.path && !r->partial && place_is_shared(r->base.session, &r->report, &r->page)))
        return EXIT_DATA;
    int result = outcome->samples
                     ? apf_sample_merge_write_report(outcome->samples, &r->tolerance, &output, &error)
                     : apf_merge_write_report(outcome->instr, &r->tolerance, &output, &error);
    return exit_code(r->base.session, output.path, result, &error) ? EXIT_DATA : code;
}
