/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* anyprof show */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include <anyprof/memprof.h>
#include <anyprof/show.h>

#include "command.h"
#include "correlation.h"
#include "places.h"
#include "profile_file.h"
#include "profile_kind.h"
#include "sample_file.h"
#include "shown_names.h"

/* --hot-func-list needs a cutoff of at least this value. */
#define HOT_CUTOFF 990000u
/* The cutoff of all counts. */
#define ALL_COUNTS 1000000u

/* ---- the request ---- */

struct show_request {
    struct request base;
    const char *path;
    const char *program; /* of --debug-info; NULL: a profile is shown */
    bool memory;         /* --memory */
    bool samples;        /* a sample profile, which show_samples.c shows */
    struct shown_names names;
    struct apf_instr_print_options profile;
    struct apf_correlate_print_options functions; /* of the program */
    struct apf_options program_options;           /* what `functions` points to */
};

static uint32_t flags_of(const struct arguments *args)
{
    static const struct {
        enum option_id option;
        uint32_t flag;
    } rows[] = {
        {OPT_ALL_FUNCTIONS, APF_INSTR_PRINT_ALL_FUNCTIONS},
        {OPT_COUNTS, APF_INSTR_PRINT_COUNTS},
        {OPT_IC_TARGETS, APF_INSTR_PRINT_IC_TARGETS},
        {OPT_SHOW_VTABLES, APF_INSTR_PRINT_VTABLES},
        {OPT_MEMOP_SIZES, APF_INSTR_PRINT_MEMOP_SIZES},
        {OPT_HOT_FUNC_LIST, APF_INSTR_PRINT_HOT_FUNCTIONS},
        {OPT_DETAILED_SUMMARY, APF_INSTR_PRINT_DETAILED_SUMMARY},
        {OPT_LIST_BELOW_CUTOFF, APF_INSTR_PRINT_BELOW_CUTOFF},
        {OPT_COVERED, APF_INSTR_PRINT_COVERED},
        {OPT_SHOWCS, APF_INSTR_PRINT_CS},
        {OPT_TEXT, APF_INSTR_PRINT_TEXT},
        {OPT_BINARY_IDS, APF_INSTR_PRINT_BINARY_IDS},
        {OPT_PROFILE_VERSION, APF_INSTR_PRINT_VERSION},
        {OPT_TEMPORAL_TRACES, APF_INSTR_PRINT_TRACES},
    };
    uint32_t flags = 0;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        flags |= option_flag(args, rows[i].option) ? rows[i].flag : 0;
    return flags;
}

static bool lacks_hot_cutoff(const struct arguments *args)
{
    const struct option_value *cutoffs = &args->values[OPT_SUMMARY_CUTOFFS];
    bool hot = cutoffs->n_numbers == 0 || !option_flag(args, OPT_HOT_FUNC_LIST) ||
               option_flag(args, OPT_TEXT) || option_flag(args, OPT_COVERED);
    for (size_t i = 0; i < cutoffs->n_numbers; i++)
        hot |= cutoffs->numbers[i] >= HOT_CUTOFF;
    return !hot;
}

/* LLVM's tool prints any number as a share, and ignores shares that nothing prints. 0, or an exit code after a
 * report. */
static int check_cutoffs(const struct session *session, const struct arguments *args)
{
    const struct option_value *cutoffs = &args->values[OPT_SUMMARY_CUTOFFS];
    if (session->persona->tool || !cutoffs->n_numbers)
        return 0;
    for (size_t i = 0; i < cutoffs->n_numbers; i++)
        if (cutoffs->numbers[i] > ALL_COUNTS) {
            report_usage(session,
                         "--detailed-summary-cutoffs takes shares up to 1000000, all counts, not %" PRIu64,
                         (uint64_t)cutoffs->numbers[i]);
            return session->persona->usage_exit;
        }
    if (!option_flag(args, OPT_DETAILED_SUMMARY) && !option_flag(args, OPT_HOT_FUNC_LIST))
        report_warning(
            session, NULL,
            "--detailed-summary-cutoffs has no effect without --detailed-summary or --hot-func-list");
    return 0;
}

/* What is wrong with the options: LLVM refuses them, or anyprof does not support them. NULL: nothing. */
static const char *find_wrong(const struct session *session, const struct arguments *args)
{
    uint64_t format = option_number(args, OPT_SHOW_FORMAT, SHOW_TEXT);
    uint64_t kind = option_number(args, OPT_KIND, KIND_DETECTED);
    if (format == SHOW_GCOV)
        return "--show-format=gcov is for sample profiles";
    if (kind == KIND_MEMORY)
        return format != SHOW_JSON && !option_flag(args, OPT_JSON) ? NULL /* the text is YAML */
               : session->persona->tool ? "JSON output is not supported for MemProf"
                                        : "show has no JSON for memory profiles: use convert --to=json";
    if (format == SHOW_JSON || (option_flag(args, OPT_JSON) && session->persona->tool))
        return session->persona->tool
                   ? "JSON output is not supported for instr profiles"
                   : "LLVM has no JSON for instrumentation profiles: give --json, or use convert --to=json";
    if (option_flag(args, OPT_JSON) && option_flag(args, OPT_TEXT))
        return "--json and --text are two formats: give one of them";
    if (format == SHOW_YAML)
        return "YAML output is not supported for instr profiles";
    if (lacks_hot_cutoff(args))
        return "--hot-func-list needs one of --detailed-summary-cutoffs to be at least 990000";
    return NULL;
}

/* An apf_diag_fn; `user` is the session. LLVM's warnings do not name the program. */
static int warn_of_finding(void *user, const struct apf_diag *diag)
{
    report_warning((const struct session *)user, NULL, "%s", diag->error->message);
    return 0;
}

/* Options of --debug-info. 0, or an exit code after a report. */
static int parse_program(struct show_request *r, const struct arguments *args)
{
    const struct option_value *files = &args->values[OPT_DEBUG_INFO];
    struct apf_correlate_print_options *o = &r->functions;
    uint64_t format = option_number(args, OPT_SHOW_FORMAT, SHOW_TEXT);
    if (format == SHOW_JSON || r->base.json) {
        report_error(r->base.session, NULL, "JSON output is not supported for debug info correlation");
        return r->base.session->persona->usage_exit;
    }
    r->program = files->list[files->n_list - 1]; /* the last one counts, as in LLVM */
    o->size = sizeof *o;
    o->options = &r->program_options;
    r->program_options = r->base.limits;
    r->program_options.diag = warn_of_finding;
    r->program_options.user =
        (void *)(uintptr_t)r->base.session; /* warn_of_finding does not change the session */
    o->max_warnings =
        (uint32_t)option_number(args, OPT_MAX_CORRELATION_WARNINGS, DEFAULT_CORRELATION_WARNINGS);
    o->flags = (format == SHOW_YAML ? APF_CORRELATE_PRINT_YAML : 0) |
               (option_flag(args, OPT_SHOW_PROF_SYM_LIST) ? APF_CORRELATE_PRINT_NAMES : 0) |
               (option_flag(args, OPT_DETAILED_SUMMARY) ? APF_CORRELATE_PRINT_COUNTERS : 0);
    return 0;
}

static void parse_profile(struct show_request *r, const struct arguments *args)
{
    struct apf_instr_print_options *o = &r->profile;
    o->size = sizeof *o;
    o->flags = flags_of(args) | (r->base.json ? APF_INSTR_PRINT_JSON : 0);
    o->function.p = option_text(args, OPT_FUNCTION, "");
    o->function.n = strlen(o->function.p);
    o->value_cutoff = option_number(args, OPT_VALUE_CUTOFF, 0);
    o->topn = option_number(args, OPT_TOPN, 0);
    shown_names_begin(&r->names, r->base.session, args);
    o->also = shown_names_part(&r->names);
    o->user = &r->names;
    o->cutoffs = args->values[OPT_SUMMARY_CUTOFFS].numbers;
    o->n_cutoffs = args->values[OPT_SUMMARY_CUTOFFS].n_numbers;
    r->memory = option_number(args, OPT_KIND, KIND_DETECTED) == KIND_MEMORY;
}

/* Whether the output would replace a file that is read. 0, or an exit code after a report. */
static int check_output(const struct show_request *r, const struct arguments *args)
{
    const struct session *session = r->base.session;
    if (strcmp(r->path, r->base.output) == 0 && strcmp(r->path, "-") != 0) {
        fprintf(stderr, "%s show: Input file name cannot be the same as the output file name!\n",
                session->persona->program);
        return session->persona->usage_exit;
    }
    return place_is_read(session, args, 1) ? session->persona->usage_exit : 0;
}

/* 0, or an exit code after a report. */
static int parse_request(struct show_request *r, const struct session *session, const struct arguments *args)
{
    bool debug_info = args->values[OPT_DEBUG_INFO].n_list != 0;
    const char *wrong = debug_info || r->samples ? NULL : find_wrong(session, args);
    if (!*r->path && !debug_info && !session->persona->tool)
        return report_wrong(session, args, "a FILE is required, or --debug-info=PROGRAM");
    if (!*r->path && !debug_info)
        wrong = "the positional argument '<profdata-file>' is required unless '--debug-info' is provided";
    if (wrong) {
        report_error(session, NULL, "%s", wrong);
        return session->persona->usage_exit;
    }
    int code = check_output(r, args);
    if (code || r->samples)
        return code;
    parse_profile(r, args);
    options_warn(session, args, OPTION_SAMPLES);
    if (r->profile.flags & APF_INSTR_PRINT_ALL_FUNCTIONS && r->profile.function.n)
        report_warning(session, NULL, "-function argument ignored: showing all functions");
    return debug_info ? parse_program(r, args) : 0;
}

/* ---- a profile ---- */

/* Completes profiles whose functions are described in their program with no functions: LLVM shows them so. */
struct bare {
    struct apf_correlation none;
    uint64_t n;
};

/* An apf_correlate_fn. */
static int pass_bare(void *user, const struct apf_bare_profile *profile,
                     const struct apf_correlation **correlation, struct apf_error *error)
{
    struct bare *bare = (struct bare *)user;
    (void)error;
    bare->none.counter_bytes = profile->counter_bytes;
    bare->none.bitmap_bytes = profile->bitmap_bytes;
    bare->n++;
    *correlation = &bare->none;
    return APF_OK;
}

static int show_profile(struct show_request *r)
{
    const struct session *session = r->base.session;
    struct apf_error error;
    struct apf_output output = shown_names_output(&r->names, r->base.output);
    struct bare bare = {.none.size = sizeof bare.none};
    const struct apf_correlation_source source = {.size = sizeof source, .find = pass_bare, .user = &bare};
    struct apf_instr *instr = profile_open(&r->base, r->path, &source, APF_FLAG_DROP_MEMPROF);
    int code = EXIT_DATA;
    if (!instr)
        return EXIT_DATA;
    if (bare.n)
        report_note(session,
                    "its functions are described in the program that wrote it, and so not shown: merge it "
                    "with --debug-info=PROGRAM (lightweight instrumentation) or --binary-file=PROGRAM");
    const struct apf_instr_info *info = apf_instr_info(instr);
    if (info->origin == APF_FORMAT_MEMPROF && info->n_records == 0)
        report_error(session, r->path, "this is a memory profile: use --memory");
    else
        code = exit_code(session, output.path, apf_instr_print(instr, &r->profile, &output, &error), &error);
    if (code == 0 && !(r->profile.flags & APF_INSTR_PRINT_ALL_FUNCTIONS) && !r->names.found)
        profile_warn_function(session, &instr, 1, r->profile.function);
    apf_instr_close(instr);
    return code;
}

/* Prints the memory profile of a file as YAML. */
static int show_memory(const struct show_request *r)
{
    const struct session *session = r->base.session;
    struct apf_error error;
    struct apf_output output = apf_output_file(r->base.output);
    struct apf_instr *instr = profile_open(&r->base, r->path, NULL, 0);
    int code = EXIT_DATA;
    if (!instr)
        return EXIT_DATA;
    const struct apf_memprof *memprof = apf_instr_memprof(instr);
    if (memprof)
        code = exit_code(session, output.path, apf_memprof_print(memprof, &output, &error), &error);
    else if (apf_instr_info(instr)->format != APF_FORMAT_INDEXED)
        report_error(session, r->path,
                     "invalid instrumentation profile data (bad magic): only indexed profiles have "
                     "memory profiles");
    else
        report_error(session, r->path, "no memprof data available in profile");
    apf_instr_close(instr);
    return code;
}

/* ---- a program ---- */

static int show_program(const struct show_request *r)
{
    struct apf_input input = apf_input_file(r->program);
    struct apf_output output = apf_output_file(r->base.output);
    struct apf_error error;
    int code = apf_correlate_print(&input, &r->functions, &output, &error);
    return exit_code_of_call(r->base.session, input.path, output.path, code, &error);
}

int cmd_show(const struct session *session, const struct arguments *args)
{
    struct show_request r = {.base = request_of(session, args)};
    r.path = args->n_files ? args->files[0] : "";
    uint64_t kind = KIND_INSTR;
    int code = args->values[OPT_DEBUG_INFO].n_list ? 0 : profile_kind_of_files(session, args, 1, &kind);
    r.samples = kind == KIND_SAMPLE;
    if (code == 0)
        code = check_cutoffs(session, args);
    if (code == 0)
        code = parse_request(&r, session, args);
    if (code == 0)
        code = r.samples   ? show_samples(session, args)
               : r.program ? show_program(&r)
               : r.memory  ? show_memory(&r)
                           : show_profile(&r);
    shown_names_free(&r.names);
    return code;
}
