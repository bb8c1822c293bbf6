/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* anyprof merge, of sample profiles */
#include "merge_samples.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "memory.h"
#include "merge_summary.h"
#include "merge_verdict.h"
#include "places.h"
#include "progress.h"
#include "write_samples.h"

#define MILLION 1000000u
#define BLANKS " \t\v\f\r"

struct sample_request {
    struct merge_request *base;
    struct apf_options common;
    struct apf_sample_merge_options merge;
    struct sample_output out;
    struct findings findings;
    char *list; /* content of --prof-sym-list; the names point into it */
    struct apf_str *symbols;
};

/* ---- the request ---- */

/* Under the name of a tool of a release, without --for, its default counts. */
static uint32_t default_format(const struct session *session, const struct arguments *args)
{
    struct apf_sample_target target;
    if (!session_is_llvm(session) || option_text(args, OPT_FOR, NULL) ||
        apf_sample_target_parse(session->persona->target, &target, NULL) != APF_OK)
        return 0;
    return apf_sample_target_default(&target);
}

static uint32_t format_of(const struct session *session, const struct arguments *args)
{
    static const uint32_t formats[] = {[FORMAT_BINARY] = APF_SAMPLE_BINARY,
                                       [FORMAT_EXTBINARY] = APF_SAMPLE_EXTBINARY,
                                       [FORMAT_COMPACT] = APF_SAMPLE_COMPACT,
                                       [FORMAT_TEXT] = APF_SAMPLE_TEXT,
                                       [FORMAT_GCC] = APF_SAMPLE_GCC};
    uint64_t format = option_number(args, OPT_FORMAT, FORMAT_DEFAULT);
    return format == FORMAT_DEFAULT ? default_format(session, args) : formats[format];
}

static uint32_t flags_of(const struct sample_request *r, const struct arguments *args)
{
    return (r->base->delete_inputs ? APF_SAMPLE_MERGE_REMOVE_INPUTS : 0) |
           (r->base->report.path || r->base->page.path ? APF_SAMPLE_MERGE_FIND_LOSSES : 0) |
           (option_flag(args, OPT_DROP_SYMBOL_LIST) ? APF_SAMPLE_MERGE_NO_SYMBOLS : 0) |
           (option_flag(args, OPT_MERGE_COLD) ? APF_SAMPLE_MERGE_COLD : 0) |
           (option_flag(args, OPT_TRIM_COLD) ? APF_SAMPLE_MERGE_TRIM_COLD : 0) |
           (args->values[OPT_COLD_COUNT].place ? APF_SAMPLE_MERGE_COLD_COUNT : 0) |
           (option_flag(args, OPT_MERGED_BASES) ? APF_SAMPLE_MERGE_BASE : 0) |
           (option_flag(args, OPT_FS) ? APF_SAMPLE_MERGE_FS : 0) |
           (r->base->partial ? APF_SAMPLE_MERGE_PARTIAL : 0) |
           (r->base->forget_inputs ? APF_SAMPLE_MERGE_FORGET_INPUTS : 0);
}

/* Splits the list of all functions into names, without blanks around them. */
static void split_names(struct sample_request *r, size_t n)
{
    size_t room = 0;
    for (size_t at = 0; at < n;) {
        const char *line = r->list + at, *end = (const char *)memchr(line, '\n', n - at);
        size_t length = end ? (size_t)(end - line) : n - at;
        at += length + (end != NULL);
        while (length && strchr(BLANKS, *line)) {
            line++;
            length--;
        }
        while (length && strchr(BLANKS, line[length - 1]))
            length--;
        if (length == 0)
            continue;
        if (r->merge.n_symbols == room) {
            room = 2 * room + 64;
            r->symbols = (struct apf_str *)checked_realloc(r->symbols, room, sizeof *r->symbols);
        }
        r->symbols[r->merge.n_symbols++] = (struct apf_str){line, length};
    }
    r->merge.symbols = r->symbols;
}

/* Reads --prof-sym-list. 0, or an exit code after a report. */
static int read_list(struct sample_request *r, const char *path)
{
    size_t n = 0;
    if (!path)
        return 0;
    r->list = read_whole(path, &n);
    if (!r->list) {
        report_errno(r->base->base.session, path, errno);
        return EXIT_DATA;
    }
    if (n && memchr(r->list, '\0', n)) {
        report_error(r->base->base.session, path, "this is no list of names: it has a byte 0");
        return EXIT_DATA;
    }
    split_names(r, n);
    return 0;
}

/* What LLVM's tool says of a list of all functions that the output lacks. */
#define LOST_SYMBOLS                                                                                         \
    "Profile Symbol list is not empty but the output format is not ExtBinary format. The list will be lost " \
    "in the output. "

/* An apf_diag_fn; `user` is a struct findings. */
static int print_finding(void *user, const struct apf_diag *diag)
{
    struct findings *f = (struct findings *)user;
    if (diag->input != UINT64_MAX || diag->function.n)
        return findings_print(user, diag);
    if (f->quiet)
        return 0;
    if (diag->severity == APF_SEVERITY_NOTE)
        report_note(f->session, "%s", diag->error->message);
    else if (session_is_llvm(f->session) && apf_sample_loss(diag->error) == APF_SAMPLE_LOSS_SYMBOLS)
        report_warning(f->session, NULL, LOST_SYMBOLS);
    else
        report_warning(f->session, NULL, "%s", diag->error->message);
    return 0;
}

/* Whether some option asks which contexts are cold. */
static bool needs_cold(const struct arguments *args)
{
    return option_flag(args, OPT_TRIM_COLD) || option_flag(args, OPT_MERGE_COLD);
}

/* What is wrong with the options; NULL: nothing. */
static const char *find_wrong(const struct sample_request *r, const struct arguments *args, uint32_t format)
{
    const char *path = r->base->profile.path;
    if (r->base->delete_inputs && strcmp(path, "-") == 0)
        return "--delete-inputs needs a file as the output: give -o FILE";
    if (r->base->delete_inputs &&
        (option_flag(args, OPT_TRIM_COLD) || option_number(args, OPT_OUTPUT_SIZE_LIMIT, 0)))
        return "--delete-inputs would lose what --sample-trim-cold-context and --output-size-limit leave out";
    if (format != APF_SAMPLE_TEXT && place_is_terminal(path))
        return "cannot write a non-text format profile to the terminal";
    /* LLVM's tool ignores it where nothing needs it. */
    if (option_number(args, OPT_COLD_CUTOFF, 0) > MILLION &&
        (!r->base->base.session->persona->tool || needs_cold(args)))
        return "--profile-summary-cutoff-cold takes millionths of all counts: at most 1000000";
    return NULL;
}

/* Warns of options that do nothing without another one. */
static void warn_of_lacks(const struct session *session, const struct arguments *args)
{
    static const struct {
        enum option_id option, needs, or_needs;
        const char *name, *without;
    } rows[] = {{OPT_COLD_FRAMES, OPT_MERGE_COLD, OPT_MERGE_COLD, "sample-frame-depth-for-cold-context",
                 "--sample-merge-cold-context"},
                {OPT_COLD_COUNT, OPT_MERGE_COLD, OPT_TRIM_COLD, "profile-summary-cold-count",
                 "--sample-merge-cold-context or --sample-trim-cold-context"},
                {OPT_COLD_CUTOFF, OPT_MERGE_COLD, OPT_TRIM_COLD, "profile-summary-cutoff-cold",
                 "--sample-merge-cold-context or --sample-trim-cold-context"}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (args->values[rows[i].option].place && !option_flag(args, rows[i].needs) &&
            !option_flag(args, rows[i].or_needs))
            report_warning(session, NULL, "--%s has no effect without %s", rows[i].name, rows[i].without);
    if (args->values[OPT_MERGED_BASES].place &&
        option_number(args, OPT_LAYOUT, LAYOUT_UNCHANGED) != LAYOUT_NEST)
        report_warning(session, NULL,
                       "--generate-merged-base-profiles has no effect without "
                       "--convert-sample-profile-layout=nest");
}

/* 0, or an exit code after a report. */
static int parse_request(struct sample_request *r, const struct arguments *args)
{
    static const uint32_t conversions[] = {[LAYOUT_NEST] = APF_SAMPLE_NESTED,
                                           [LAYOUT_FLAT] = APF_SAMPLE_FLAT,
                                           [LAYOUT_UNCHANGED] = APF_SAMPLE_AS_IT_IS};
    const struct session *session = r->base->base.session;
    struct apf_sample_merge_options *m = &r->merge;
    const uint32_t format = format_of(session, args);
    const char *wrong = find_wrong(r, args, format);
    if (wrong) {
        report_error(session, NULL, "%s", wrong);
        return session->persona->usage_exit;
    }
    if (!session->persona->tool && !r->base->base.quiet) {
        if (!merge_request_is_undecided(r->base))
            options_warn(session, args, OPTION_INSTR);
        warn_of_lacks(session, args);
    }
    int code = sample_output_parse(&r->out, &r->base->base, args, format);
    if (code)
        return code;
    r->common = r->base->base.limits;
    r->common.threads = r->base->threads;
    r->common.flags = r->base->flags & APF_FLAG_SALVAGE;
    r->common.diag = print_finding;
    r->common.user = &r->findings;
    r->out.common.diag = NULL; /* the merge reports what the output lacks */
    m->size = sizeof *m;
    m->options = &r->common;
    m->flags = flags_of(r, args);
    m->pass = (uint32_t)option_number(args, OPT_FS_PASS, APF_SAMPLE_PASS_LAST);
    m->conversion = conversions[option_number(args, OPT_LAYOUT, LAYOUT_UNCHANGED)];
    m->cold_frames = (uint32_t)option_number(args, OPT_COLD_FRAMES, 1);
    m->cold_count = option_number(args, OPT_COLD_COUNT, 0);
    m->cold_cutoff = needs_cold(args) ? (uint32_t)option_number(args, OPT_COLD_CUTOFF, 0) : 0;
    m->slice = r->base->slice;
    m->size_limit = option_number(args, OPT_OUTPUT_SIZE_LIMIT, 0);
    m->output = strcmp(r->base->profile.path, "-") != 0 ? r->base->profile.path : NULL;
    name_changes_set_samples(&r->base->names, m);
    return read_list(r, option_text(args, OPT_SYMBOL_LIST, NULL));
}

/* ---- messages ---- */

static void note_count(const struct session *session, uint64_t n, const char *one, const char *many)
{
    if (n)
        report_note(session, "%" PRIu64 " %s", n, n == 1 ? one : many);
}

static void report_summary(const struct session *session, const struct apf_sample_merge_stats *s,
                           const struct merge_outcome *outcome)
{
    merge_report_lost(session, merge_outcome_counts(outcome));
    note_count(session, s->n_salvaged, "input was salvaged: its functions before the damage are merged",
               "inputs were salvaged: their functions before the damage are merged");
    note_count(session, s->salvage_lost_functions, "function of salvaged inputs is known to be lost",
               "functions of salvaged inputs are known to be lost");
    if (s->checksum_mismatches + s->inlined_mismatches)
        report_note(session,
                    "left out, because the inputs disagree on the checksum: %" PRIu64
                    " function%s and %" PRIu64 " inlined one%s with %" PRIu64
                    " samples; make sure that all inputs are of the same build",
                    s->checksum_mismatches, s->checksum_mismatches == 1 ? "" : "s", s->inlined_mismatches,
                    s->inlined_mismatches == 1 ? "" : "s", s->mismatch_samples);
    if (s->saturated)
        report_note(session,
                    "counts were cut at the largest possible number in %" PRIu64
                    " function%s; smaller weights avoid it",
                    s->saturated, s->saturated == 1 ? "" : "s");
    note_count(session, s->cold_trimmed, "cold function was left out because of --sample-trim-cold-context",
               "cold functions were left out because of --sample-trim-cold-context");
    note_count(session, s->over_limit, "function was left out because of --output-size-limit",
               "functions were left out because of --output-size-limit");
    if (s->n_functions == 0 && s->names == 0 && s->n_merged)
        report_warning(session, NULL, "no input has a function, so the output has none");
}

/* Says for which compiler the output is if the inputs are of several, and which options have no effect on them. */
static void report_inputs(const struct apf_sample_merge *merge, const struct sample_request *r)
{
    const struct session *session = r->base->base.session;
    const struct apf_sample_input_result *input;
    bool gcc = false, llvm = false, contexts = false;
    for (size_t i = 0; (input = apf_sample_merge_input(merge, i)) != NULL; i++) {
        if (input->code != APF_OK)
            continue;
        gcc |= input->info->origin == APF_SAMPLE_GCC;
        llvm |= input->info->origin != APF_SAMPLE_GCC;
        contexts |= (input->info->flags & APF_SAMPLE_CONTEXTS) != 0;
    }
    if (gcc && llvm && r->out.write.target.kind == APF_SAMPLE_FOR_AUTO && !r->out.write.format)
        report_note(session,
                    "the inputs are of GCC and of LLVM: the output is for LLVM, and --for=gcc-N is for GCC");
    if (!contexts && !session->persona->tool && r->merge.flags & APF_SAMPLE_MERGE_COLD)
        report_warning(session, NULL, "--sample-merge-cold-context has no effect: no input has contexts");
}

/* If inputs of several kinds cannot be merged with each other, notes how much each kind weighs and what to do. */
static void report_kinds(const struct apf_sample_merge *merge, const struct session *session)
{
    static const struct {
        uint32_t flags;
        const char *name;
    } kinds[] = {{0, "non-CS line-based"},
                 {APF_SAMPLE_CONTEXTS, "CS line-based"},
                 {APF_SAMPLE_PROBES, "non-CS probe-based"},
                 {APF_SAMPLE_CONTEXTS | APF_SAMPLE_PROBES, "CS probe-based"}};
    enum { N_KINDS = sizeof kinds / sizeof *kinds };
    const struct apf_sample_input_result *input;
    uint64_t weights[N_KINDS] = {0};
    const char *merged = ""; /* the name of the kind that is merged */
    bool conflict = false;
    char text[200] = "";
    for (size_t i = 0; (input = apf_sample_merge_input(merge, i)) != NULL; i++) {
        bool contradicts =
            input->code == APF_SAMPLE_PROBE_CONFLICT || input->code == APF_SAMPLE_CONTEXT_CONFLICT;
        conflict |= contradicts;
        if ((input->code != APF_OK && !contradicts) || !input->info->n_functions)
            continue;
        for (size_t k = 0; k < N_KINDS; k++)
            if ((input->info->flags & (APF_SAMPLE_CONTEXTS | APF_SAMPLE_PROBES)) == kinds[k].flags) {
                weights[k] += input->weight;
                merged = contradicts ? merged : kinds[k].name;
            }
    }
    if (!conflict)
        return;
    for (size_t k = 0; k < N_KINDS; k++)
        if (weights[k]) {
            size_t n = strlen(text);
            snprintf(text + n, sizeof text - n, "%s%s %" PRIu64, n ? ", " : "", kinds[k].name, weights[k]);
        }
    report_note(session,
                "%s profiles are merged, the first of the kinds with the largest sum of weights (%s); "
                "--weighted-input gives an input more weight, and each kind can be merged apart",
                merged, text);
}

static void report_result(const struct session *session, const struct apf_sample_merge_stats *s,
                          const struct apf_sample_write_result *result, const char *path)
{
    static const char *const formats[] = {[APF_SAMPLE_TEXT] = "text",
                                          [APF_SAMPLE_BINARY] = "raw binary",
                                          [APF_SAMPLE_COMPACT] = "compact binary",
                                          [APF_SAMPLE_EXTBINARY] = "extensible binary",
                                          [APF_SAMPLE_GCC] = "GCC's format"};
    char version[24] = ""; /* text has none */
    if (result->version)
        snprintf(version, sizeof version, ", version %" PRIu32, result->version);
    report_note(session, "merged %" PRIu64 " of %" PRIu64 " inputs into %s: %s%s, %" PRIu64 " function%s",
                s->n_merged + s->n_salvaged, s->n_inputs, shown_name(session, path, true),
                formats[result->format], version, s->n_functions, s->n_functions == 1 ? "" : "s");
}

/* ---- the merge ---- */

/* Reports what became of the inputs, and writes the profile. Returns the exit code. */
static int conclude_merge(struct merge_outcome *outcome, const struct sample_request *r)
{
    const struct merge_request *base = r->base;
    const struct session *session = base->base.session;
    struct apf_sample_merge *merge = outcome->samples;
    struct apf_output output = apf_output_file(base->profile.path);
    struct apf_sample_write_result result = {.size = sizeof result};
    struct apf_error error;
    bool quiet = base->base.quiet;
    if (session->persona->tool && base->tolerance.mode == APF_FAIL_ANY &&
        merge_outcome_stops(outcome, session))
        return EXIT_DATA;
    if (!quiet) {
        merge_outcome_report(outcome, session, false);
        if (!session->persona->tool)
            report_kinds(merge, session);
    }
    merge_outcome_keep(base);
    bool accepted = merge_outcome_accept(outcome, base);
    if (!accepted || merge_outcome_keeps_old(outcome, base)) {
        if (quiet)
            merge_outcome_report(outcome, session, true); /* the reasons for the error */
        outcome->end = accepted ? MERGE_KEPT : MERGE_FAILED;
        return accepted ? 0 : EXIT_DATA;
    }
    int code =
        exit_code_of_call(session, output.path, output.path,
                          apf_sample_merge_write(merge, &r->out.write, &output, &result, &error), &error);
    outcome->end = code == 0 ? MERGE_WRITTEN : MERGE_FAILED;
    const struct apf_sample_merge_stats *stats = apf_sample_merge_stats(merge);
    if (code == 0 && !quiet) {
        name_changes_report_samples(&base->names, session, stats);
        sample_output_report(&r->out, &result);
        findings_rest(&r->findings);
        report_inputs(merge, r);
        report_summary(session, stats, outcome);
        merge_report_removal(session, merge_outcome_counts(outcome));
        if (base->verbose && result.format)
            report_result(session, stats, &result, base->profile.path);
    }
    return code == 0 && stats->n_undeletable ? EXIT_DATA : code;
}

static int merge_all(struct sample_request *r)
{
    const struct merge_request *base = r->base;
    struct apf_sample_merge *merge = NULL;
    struct apf_error error;
    progress_begin(&base->base, &r->common);
    int code = apf_sample_merge_new(&merge, &r->merge, &error);
    struct merge_inputs inputs;
    for (bool first = true; code == APF_OK && merge_request_next(base, &inputs, &first);)
        code = apf_sample_merge_add(merge, inputs.data, inputs.n, &error);
    progress_end(base->base.session);
    code = exit_code_of_call(base->base.session, NULL, r->merge.output, code, &error);
    struct merge_outcome outcome = {.samples = merge};
    if (code == 0 && !merge_outcome_complete(&outcome, base))
        code = EXIT_DATA;
    else if (code == 0)
        code = merge_outcome_write_report(&outcome, base,
                                          base->partial ? merge_outcome_write_partial(&outcome, base)
                                                        : conclude_merge(&outcome, r));
    apf_sample_merge_free(merge);
    return code;
}

/* Parses the request and runs a function on it. Returns the exit code. */
static int with_request(struct merge_request *base, const struct arguments *args,
                        int run(struct sample_request *r))
{
    struct sample_request r = {.base = base};
    struct demangler names = {0};
    r.findings = (struct findings){base->base.session, {0}, base->base.quiet, NULL};
    if (base->demangles) {
        (void)demangler_load(&names, base->base.session);
        r.findings.names = &names;
    }
    int code = parse_request(&r, args);
    if (code == 0)
        code = run(&r);
    free(r.list);
    free(r.symbols);
    demangler_free(&names);
    return code;
}

static int do_nothing(struct sample_request *r)
{
    (void)r;
    return 0;
}

int merge_samples(struct merge_request *base, const struct arguments *args)
{
    return with_request(base, args, merge_all);
}

int merge_samples_check(struct merge_request *base, const struct arguments *args)
{
    const bool quiet = base->base.quiet;
    base->base.quiet = true;
    int code = with_request(base, args, do_nothing);
    base->base.quiet = quiet;
    return code;
}
