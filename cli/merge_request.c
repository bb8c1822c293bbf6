/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "merge_request.h"

#include <string.h>

#include <anyprof/jobs.h>

#include "write_options.h"

#define DEFAULT_RESERVOIR 100u /* traces, as in LLVM */
#define DEFAULT_LENGTH 10000u  /* functions of a trace, as in LLVM */
#define PREVIOUS_MEMPROF 3u    /* of --write-prev-version: LLVM 22 does not read what LLVM 18 wrote */

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

/* 0, or an exit code after a report. */
static int parse_output(struct merge_request *r, const struct arguments *args)
{
    const struct session *session = r->base.session;
    uint64_t format = option_number(args, OPT_FORMAT, FORMAT_DEFAULT);
    bool previous = option_flag(args, OPT_WRITE_PREV_VERSION) &&
                    args->values[OPT_WRITE_PREV_VERSION].place > args->values[OPT_FOR].place;
    const char *older = previous && format == FORMAT_TEXT ? NULL : "indexed-11"; /* text has no version */
    const char *target = previous ? older : option_text(args, OPT_FOR, NULL);
    const char *wrong = NULL;
    int code = write_options_parse(&r->write, session, args, target, format == FORMAT_TEXT);
    if (code != 0)
        return code;
    if (previous && !(r->write.flags & APF_WRITE_MEMPROF_VERSION)) {
        r->write.flags |= APF_WRITE_MEMPROF_VERSION;
        r->write.memprof_version = PREVIOUS_MEMPROF;
    }
    if (format == FORMAT_GCC || format == FORMAT_COMPACT)
        wrong = "unknown format is specified";
    else if (r->delete_inputs && strcmp(r->profile.path, "-") == 0)
        wrong = "--delete-inputs needs a file as the output: give -o FILE";
    else if (format != FORMAT_TEXT && place_is_terminal(r->profile.path))
        wrong = "cannot write a non-text format profile to the terminal";
    if (wrong)
        report_error(session, NULL, "%s", wrong);
    return wrong ? session->persona->usage_exit : 0;
}

/* 0, or an exit code after a report. */
static int parse_inputs(struct merge_request *r, const struct arguments *args)
{
    const struct session *session = r->base.session;
    int code = merge_inputs_parse(&r->inputs, session, args);
    if (code)
        return code;
    if (merge_inputs_are_empty(&r->inputs, session, args))
        return EXIT_DATA;
    if (r->inputs.n)
        return 0;
    if (!session_is_llvm(session))
        return report_wrong(session, args,
                            *option_text(args, OPT_INPUT_FILES, "") ? "the list of input files is empty"
                                                                    : "a FILE is required");
    report_error(session, NULL, "no input files specified. See %s merge -help", session->persona->program);
    return session->persona->usage_exit;
}

/* How instrumentation profiles are read. 0, or an exit code after a report. */
static int parse_reading(struct merge_request *r, const struct session *session, const struct arguments *args)
{
    r->trace_reservoir = option_number(args, OPT_TRACE_RESERVOIR, DEFAULT_RESERVOIR);
    r->trace_length = option_number(args, OPT_TRACE_LENGTH, DEFAULT_LENGTH);
    return correlation_parse(&r->programs, session, args);
}

/* What merges of instrumentation profiles alone have. 0, or an exit code after a report. */
static int parse_instr(struct merge_request *r, const struct session *session, const struct arguments *args)
{
    int code = merge_supplement_parse(&r->supplement, &r->base, args, &r->inputs);
    if (code)
        return code;
    if (!merge_request_is_undecided(r))
        options_warn(session, args, OPTION_SAMPLES);
    code = parse_output(r, args);
    return code ? code : parse_reading(r, session, args);
}

static const char *const format_options[] = {[FORMAT_BINARY] = "--binary",
                                             [FORMAT_EXTBINARY] = "--extbinary",
                                             [FORMAT_COMPACT] = "--compbinary",
                                             [FORMAT_TEXT] = "--text",
                                             [FORMAT_GCC] = "--gcc"};

/* Options that decide something, which is for the last merge. */
static const struct {
    uint16_t option;
    const char *name; /* NULL: of format_options */
} last_options[] = {{OPT_FOR, "--for"},
                    {OPT_FORMAT, NULL},
                    {OPT_SPARSE, "--sparse"},
                    {OPT_WRITE_PREV_VERSION, "--write-prev-version"},
                    {OPT_MEMPROF_VERSION, "--memprof-version"},
                    {OPT_MEMPROF_FULL_SCHEMA, "--memprof-full-schema"},
                    {OPT_KEEP_VTABLE_SYMBOLS, "--keep-vtable-symbols"},
                    {OPT_REMAPPING_FILE, "--remapping-file"},
                    {OPT_PREFIX_MAP, "--prefix-map"},
                    {OPT_FUNCTION, "--function"},
                    {OPT_NO_FUNCTION, "--no-function"},
                    {OPT_SUPPLEMENT, "--supplement-instr-with-sample"},
                    {OPT_USE_MD5, "--use-md5"},
                    {OPT_COMPRESS_ALL, "--compress-all-sections"},
                    {OPT_PARTIAL, "--gen-partial-profile"},
                    {OPT_SPLIT_LAYOUT, "--split-layout"},
                    {OPT_WRITE_VTABLES, "--extbinary-write-vtable-type-prof"},
                    {OPT_SYMBOL_LIST, "--prof-sym-list"},
                    {OPT_OUTPUT_SIZE_LIMIT, "--output-size-limit"},
                    {OPT_LAYOUT, "--convert-sample-profile-layout"},
                    {OPT_MERGED_BASES, "--generate-merged-base-profiles"},
                    {OPT_MERGE_COLD, "--sample-merge-cold-context"},
                    {OPT_TRIM_COLD, "--sample-trim-cold-context"},
                    {OPT_COLD_FRAMES, "--sample-frame-depth-for-cold-context"},
                    {OPT_COLD_COUNT, "--profile-summary-cold-count"},
                    {OPT_COLD_CUTOFF, "--profile-summary-cutoff-cold"},
                    {OPT_MAX_LOSS, "--max-loss"},
                    {OPT_FAILURE_MODE, "--failure-mode"}};

#define N_LAST_OPTIONS (sizeof last_options / sizeof *last_options)

/* 0, or an exit code after a report. */
static int check_partial(const struct merge_request *r, const struct session *session,
                         const struct arguments *args)
{
    for (size_t i = 0; r->partial && i < N_LAST_OPTIONS; i++)
        if (args->values[last_options[i].option].place) {
            const char *name = last_options[i].name;
            report_error(session, NULL, "%s is for the merge of partial profiles: --partial decides nothing",
                         name ? name : format_options[option_number(args, OPT_FORMAT, FORMAT_TEXT)]);
            return session->persona->usage_exit;
        }
    if (r->forget_inputs && !r->partial) {
        report_error(session, NULL,
                     "--forget-inputs is for --partial: only partial profiles list their inputs");
        return session->persona->usage_exit;
    }
    return 0;
}

/* Inputs that are removed are in one profile: if none of them says its kind, as when a run before this one has removed
 * them, the output does. 0, or an exit code after a report. */
static int find_kind_of_output(struct merge_request *r, const struct session *session)
{
    const struct apf_input output = apf_input_file(r->profile.path);
    r->kind.families = apf_file_family(&output);
    if (r->kind.families)
        return 0;
    if (strcmp(r->profile.path, "-") == 0) { /* which is reported for each kind */
        r->kind.families = kind_votes_samples(&r->kind) ? APF_FAMILY_SAMPLE : APF_FAMILY_INSTR;
        return 0;
    }
    report_error(session, NULL,
                 "no input says which kind of profile it is: with --delete-inputs, give --instr or --sample");
    return EXIT_DATA;
}

/* Which kind of profiles is merged: by an option, or by the inputs. 0, or an exit code after a report. */
static int parse_kind(struct merge_request *r, const struct session *session, const struct arguments *args)
{
    int code = profile_kind_votes(session, args, r->inputs.data, r->inputs.n, &r->kind);
    if (code == 0 && r->delete_inputs && merge_request_is_undecided(r))
        code = find_kind_of_output(r, session);
    r->samples = kind_votes_samples(&r->kind);
    return code;
}

static void parse_common(struct merge_request *r, const struct arguments *args)
{
    r->threads = (uint32_t)option_number(args, OPT_THREADS, 0);
    r->flags = (option_flag(args, OPT_DROP_MEMPROF) ? APF_FLAG_DROP_MEMPROF : 0) |
               (option_flag(args, OPT_SALVAGE) ? APF_FLAG_SALVAGE : 0);
}

int merge_request_begin(struct merge_request *r, const struct session *session, const struct arguments *args)
{
    r->base = request_of(session, args);
    int code = parse_inputs(r, args);
    r->list_inputs = option_flag(args, OPT_DUMP_INPUT_FILE_LIST);
    if (code || r->list_inputs)
        return code;
    r->profile = (struct place){"profile", r->base.output, true};
    r->report = (struct place){"report", option_text(args, OPT_REPORT, NULL), false};
    r->page = (struct place){"page", option_text(args, OPT_HTML, NULL), false};
    r->delete_inputs = option_flag(args, OPT_DELETE_INPUTS);
    r->verbose = option_flag(args, OPT_VERBOSE);
    r->demangles = option_number(args, OPT_DEMANGLE, 0) != 0;
    r->plain_page = option_number(args, OPT_DEMANGLE, 1) == 0;
    r->partial = option_flag(args, OPT_UNDECIDED);
    r->forget_inputs = option_flag(args, OPT_FORGET_INPUTS);
    r->tolerance = tolerance_of(args);
    parse_common(r, args);
    code = check_partial(r, session, args);
    return code ? code : parse_kind(r, session, args);
}

int merge_request_finish(struct merge_request *r, const struct session *session, const struct arguments *args)
{
    int code = 0;
    if (r->samples && *option_text(args, OPT_SUPPLEMENT, "")) {
        report_error(session, NULL, "-supplement-instr-with-sample can only work with -instr. ");
        return session->persona->usage_exit;
    }
    if (!r->samples)
        code = parse_instr(r, session, args);
    else if (merge_request_is_undecided(r))
        code = parse_reading(r, session, args);
    if (code)
        return code;
    if (place_is_shared(session, &r->report, &r->profile) ||
        place_is_shared(session, &r->page, &r->profile) || place_is_shared(session, &r->page, &r->report) ||
        place_is_precious(session, args, &r->inputs))
        return session->persona->usage_exit;
    return name_changes_parse(&r->names, session, args, &r->inputs);
}

int merge_request_parse(struct merge_request *r, const struct session *session, const struct arguments *args)
{
    int code = merge_request_begin(r, session, args);
    return code || r->list_inputs ? code : merge_request_finish(r, session, args);
}

struct arguments merge_request_part(const struct arguments *args, bool samples)
{
    struct arguments part = *args;
    for (size_t i = 0; i < N_LAST_OPTIONS; i++)
        part.values[last_options[i].option] = (struct option_value){0};
    part.values[OPT_REPORT] = part.values[OPT_HTML] = (struct option_value){0};
    option_set(&part, OPT_QUIET, 1);
    option_set(&part, OPT_PROGRESS, PROGRESS_NEVER);
    option_set(&part, OPT_KIND, samples ? KIND_SAMPLE : KIND_INSTR);
    return part;
}

int merge_request_parse_part(struct merge_request *r, const struct session *session,
                             const struct arguments *args)
{
    r->base = request_of(session, args);
    r->partial = true;
    r->samples = option_number(args, OPT_KIND, KIND_INSTR) == KIND_SAMPLE;
    r->tolerance = tolerance_of(args);
    parse_common(r, args);
    return r->samples ? 0 : parse_reading(r, session, args);
}

bool merge_request_next(const struct merge_request *r, struct merge_inputs *inputs, bool *first)
{
    const bool given = *first;
    *first = false;
    if (given)
        *inputs = r->inputs;
    return given || (r->more && r->more(r->more_context, inputs));
}

int merge_request_parse_inputs(struct merge_request *r, const struct session *session,
                               const struct arguments *args)
{
    r->base = request_of(session, args);
    int code = merge_inputs_parse(&r->inputs, session, args);
    if (code == 0 && r->inputs.n)
        merge_inputs_are_empty(&r->inputs, session, args); /* for its warnings */
    return code == 0 && r->inputs.n ? parse_kind(r, session, args) : code;
}

bool merge_request_is_undecided(const struct merge_request *r)
{
    return r->partial && !r->kind.families;
}

void merge_request_free(struct merge_request *r)
{
    name_changes_free(&r->names);
    merge_supplement_free(&r->supplement);
    merge_inputs_free(&r->inputs);
}
