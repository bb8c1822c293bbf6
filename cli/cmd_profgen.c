/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* anyprof profgen */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <anyprof/profgen.h>

#include "command.h"
#include "memory.h"
#include "places.h"
#include "profgen_idle.h"
#include "profgen_inputs.h"
#include "profgen_print.h"
#include "profgen_programs.h"
#include "write_samples.h"

/* ---- the request ---- */

struct profgen_request {
    struct request base;
    struct profgen_programs programs;
    const char *debug_file, *package; /* NULL: not given */
    const char *const *debug_directories;
    size_t n_debug_directories;
    struct profgen_inputs inputs, accesses;
    struct apf_profgen_options options;
    const char *report; /* NULL: none */
    bool raw;           /* --skip-symbolization */
    bool show_density;
    double threshold;
    uint64_t cutoff;
    struct sample_output output;
};

/* The inputs of the one kind that was given; NULL: none or several. */
static const struct option_value *find_inputs(const struct arguments *args, enum apf_profgen_input *kind,
                                              size_t *kinds)
{
    static const struct {
        enum option_id option;
        enum apf_profgen_input kind;
    } rows[] = {{OPT_RECORDINGS, APF_PROFGEN_PERF_DATA},
                {OPT_PERF_TEXTS, APF_PROFGEN_PERF_SCRIPT},
                {OPT_RAW_COUNTS, APF_PROFGEN_RAW},
                {OPT_GIVEN_PROFILE, APF_PROFGEN_SAMPLE}};
    const struct option_value *found = NULL;
    *kinds = 0;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (!args->values[rows[i].option].n_list)
            continue;
        found = &args->values[rows[i].option];
        *kind = rows[i].kind;
        ++*kinds;
    }
    return *kinds == 1 ? found : NULL;
}

/* Whether several of the programs and inputs are standard input, which can be read once. */
static bool repeats_stdin(const struct arguments *args)
{
    static const enum option_id lists[] = {OPT_BINARY,     OPT_ORIGINAL,      OPT_RECORDINGS, OPT_PERF_TEXTS,
                                           OPT_RAW_COUNTS, OPT_GIVEN_PROFILE, OPT_ACCESSES};
    size_t n = 0;
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
        for (size_t k = 0; k < args->values[lists[i]].n_list; k++)
            n += strcmp(args->values[lists[i]].list[k], "-") == 0;
    return n > 1;
}

/* LLVM's words, where it has the case. */
static const char *find_wrong(const struct arguments *args, size_t kinds)
{
    if (!option_text(args, OPT_BINARY, NULL))
        return "--binary=PROGRAM is required";
    if (!option_text(args, OPT_OUTPUT, NULL))
        return "-o OUT is required";
    if (kinds == 0)
        return "Perf input file is missing, please use one of `--perfscript`, `--perfdata` and "
               "`--unsymbolized-profile` for the input";
    if (kinds > 1)
        return "`--perfscript`, `--perfdata`, `--unsymbolized-profile` and `--llvm-sample-profile` cannot be "
               "used together";
    if (repeats_stdin(args))
        return "standard input can be given only once";
    if (option_number(args, OPT_DENSITY_CUTOFF, 0) > 1000000)
        return "--profile-density-cutoff-hot is a share in millionths: at most 1000000";
    if (args->values[OPT_PID].place && option_number(args, OPT_PID, 0) == 0)
        return "--pid=0 names no process of a program";
    if (option_flag(args, OPT_SKIP_SYMBOLIZATION) && args->values[OPT_GIVEN_PROFILE].n_list)
        return "--skip-symbolization writes counts of samples: --llvm-sample-profile has none";
    return NULL;
}

/* A wrong command line, under the name llvm-profgen in its words. */
static int report_command_line(const struct session *session, const struct arguments *args, const char *wrong)
{
    const bool output = option_text(args, OPT_OUTPUT, NULL), binary = option_text(args, OPT_BINARY, NULL);
    if (!session_is_llvm(session))
        return report_wrong(session, args, wrong);
    if (!output)
        report_usage(session, "for the --output option: must be specified at least once!");
    if (!binary)
        report_usage(session, "for the --binary option: must be specified at least once!");
    if (output && binary)
        report_error(session, NULL, "%s.", wrong);
    return session->persona->usage_exit;
}

/* The flags of context-sensitive profiles. */
static uint32_t context_flags(const struct arguments *args)
{
    return (option_flag(args, OPT_IGNORE_CALLS) ? APF_PROFGEN_IGNORE_CALLS : 0) |
           (option_number(args, OPT_INFER_FRAMES, 1) ? 0 : APF_PROFGEN_NO_INFERENCE) |
           (option_number(args, OPT_PREINLINER, 1) ? 0 : APF_PROFGEN_NO_PREINLINER) |
           (option_flag(args, OPT_REPLAY) ? APF_PROFGEN_REPLAY : 0) |
           (option_number(args, OPT_CONTEXT_COST, 1) ? 0 : APF_PROFGEN_LINE_COST) |
           (option_number(args, OPT_NESTED, 1) ? 0 : APF_PROFGEN_NO_NESTING) |
           (option_flag(args, OPT_MERGED_BASE) ? APF_PROFGEN_MERGED_BASE : 0) |
           /* LLVM joins cold contexts by default only where no preinliner decides what is inlined */
           (option_number(args, OPT_JOIN_COLD, !option_number(args, OPT_PREINLINER, 1))
                ? APF_PROFGEN_MERGE_COLD
                : 0) |
           (option_flag(args, OPT_TRIM_PROFILE) ? APF_PROFGEN_TRIM_COLD : 0);
}

/* The flags of all profiles. */
static uint32_t profile_flags(const struct arguments *args)
{
    return (option_flag(args, OPT_USE_DWARF) ? APF_PROFGEN_USE_LINES : 0) |
           (option_number(args, OPT_SYMBOL_FUNCTIONS, 1) ? 0 : APF_PROFGEN_NO_SYMBOLS) |
           (option_flag(args, OPT_UPDATE_TOTALS) ? APF_PROFGEN_UPDATE_TOTALS : 0) |
           (option_flag(args, OPT_ZERO_FUNCTIONS) ? APF_PROFGEN_ALL_FUNCTIONS : 0) |
           (option_flag(args, OPT_LIST_FUNCTIONS) ? APF_PROFGEN_SYMBOL_LIST : 0) |
           (option_flag(args, OPT_ALL_INLINED) ? APF_PROFGEN_ALL_INLINED : 0);
}

/* In the library a depth is one more, and 0 no limit. */
static uint32_t depth_of(const struct arguments *args, enum option_id id, uint32_t otherwise)
{
    return (uint32_t)option_number(args, id, otherwise) + 1;
}

/* A share in millionths; 0, of the summary, where the option is not given. No share is below that of its first row, so
 * that 0 and 1 are the same. */
static uint32_t cutoff_of(const struct arguments *args, enum option_id option)
{
    const uint32_t cutoff = (uint32_t)option_number(args, option, 0);
    return cutoff || !args->values[option].place ? cutoff : 1;
}

/* In the library a limit is one more, and 0 its default. */
static uint32_t limit_of(const struct arguments *args, enum option_id id)
{
    uint64_t limit = option_number(args, id, UINT64_MAX) + 1;
    return limit > UINT32_MAX ? UINT32_MAX : (uint32_t)limit;
}

static void parse_thresholds(struct apf_profgen_options *o, const struct arguments *args)
{
    o->hot_count = option_number(args, OPT_HOT_CONTEXTS, UINT64_MAX) + 1;
    o->cold_count = option_number(args, OPT_COLD_CALLS, UINT64_MAX) + 1;
    o->hot_cutoff = cutoff_of(args, OPT_HOT_SHARE);
    o->cold_cutoff = cutoff_of(args, OPT_COLD_SHARE);
    o->inlining = (struct apf_profgen_inlining){
        limit_of(args, OPT_INLINE_HOT),   limit_of(args, OPT_INLINE_COLD), limit_of(args, OPT_INLINE_GROWTH),
        limit_of(args, OPT_INLINE_LEAST), limit_of(args, OPT_INLINE_MOST), limit_of(args, OPT_INLINE_AGAIN)};
}

static void parse_options(struct profgen_request *r, const struct arguments *args)
{
    struct apf_profgen_options *o = &r->options;
    o->size = sizeof *o;
    o->flags = (option_flag(args, OPT_IGNORE_BUILD_ID) ? APF_PROFGEN_IGNORE_BUILD_ID : 0) |
               (option_flag(args, OPT_KERNEL) ? APF_PROFGEN_KERNEL : 0) |
               (option_number(args, OPT_USE_OFFSET, 1) ? 0 : APF_PROFGEN_ABSOLUTE) |
               (option_flag(args, OPT_FIRST_SEGMENT) ? APF_PROFGEN_FIRST_SEGMENT : 0) | profile_flags(args) |
               context_flags(args);
    o->pid = (uint32_t)option_number(args, OPT_PID, 0);
    o->recursion = depth_of(args, OPT_RECURSION, UINT32_MAX);
    o->context_depth = depth_of(args, OPT_CONTEXT_DEPTH, UINT32_MAX);
    o->chain_depth = depth_of(args, OPT_CHAIN_DEPTH, UINT32_MAX);
    o->search_depth = depth_of(args, OPT_SEARCH_DEPTH, UINT32_MAX);
    o->cold_depth = (uint32_t)option_number(args, OPT_COLD_DEPTH, 1);
    parse_thresholds(o, args);
}

static uint32_t format_of(const struct arguments *args)
{
    static const uint32_t formats[TO_UNKNOWN] = {[TO_TEXT] = APF_SAMPLE_TEXT,
                                                 [TO_EXTBINARY] = APF_SAMPLE_EXTBINARY,
                                                 [TO_BINARY] = APF_SAMPLE_BINARY,
                                                 [TO_GCC] = APF_SAMPLE_GCC};
    uint64_t to = option_number(args, OPT_TO, TO_UNKNOWN);
    return to < TO_UNKNOWN ? formats[to] : 0;
}

/* Whether a file that is to be written would replace one that is read, after a report. */
static bool output_is_input(const struct profgen_request *r)
{
    const struct session *session = r->base.session;
    const struct place report = {"report", r->report, false};
    const struct apf_input *first = &r->programs.list[0].input;
    const struct apf_input beside[] = {r->debug_file ? apf_input_file(r->debug_file) : *first,
                                       r->package ? apf_input_file(r->package) : *first};
    return profgen_programs_clash(&r->programs, session, &report, r->inputs.list, r->inputs.n) ||
           profgen_programs_clash(&r->programs, session, &report, r->accesses.list, r->accesses.n) ||
           profgen_programs_clash(&r->programs, session, &report, beside, 2);
}

/* The package is opened only where a program needs it, but must be there, or a typing error would not be seen.
 * 0, or an exit code after a report. */
static int check_package(const struct profgen_request *r)
{
    struct stat st;
    if (!r->package || stat(r->package, &st) == 0)
        return 0;
    report_errno(r->base.session, r->package, errno);
    return EXIT_DATA;
}

/* Likewise a directory that is not there would only mean that no debug file is found in it. */
static void warn_of_directories(const struct profgen_request *r)
{
    for (size_t i = 0; i < r->n_debug_directories && !r->base.quiet; i++) {
        struct stat st;
        const char *path = r->debug_directories[i];
        const int failed = stat(path, &st) == 0 ? S_ISDIR(st.st_mode) ? 0 : ENOTDIR : errno;
        if (failed)
            report_warning(r->base.session, path, "%s: no debug file is searched for there",
                           strerror(failed));
    }
}

static void parse_inputs(struct profgen_inputs *inputs, const struct option_value *given)
{
    inputs->n = given->n_list;
    inputs->list = given->n_list ? checked_realloc(NULL, given->n_list, sizeof *inputs->list) : NULL;
    for (size_t i = 0; i < given->n_list; i++)
        inputs->list[i] = apf_input_file(given->list[i]);
}

/* 0, or an exit code after a report. Lists of inputs are for free(), and r->programs for
 * profgen_programs_free, either way. */
static int parse_request(struct profgen_request *r, const struct session *session,
                         const struct arguments *args)
{
    size_t kinds;
    const struct option_value *given = find_inputs(args, &r->inputs.kind, &kinds);
    const char *wrong = find_wrong(args, kinds);
    if (wrong)
        return report_command_line(session, args, wrong);
    r->base = request_of(session, args);
    int code = profgen_programs_parse(&r->programs, session, args);
    if (code != 0)
        return code;
    r->debug_file = option_text(args, OPT_DEBUG_BINARY, NULL);
    r->debug_directories = (const char *const *)args->values[OPT_DEBUG_DIRECTORIES].list;
    r->n_debug_directories = args->values[OPT_DEBUG_DIRECTORIES].n_list;
    r->package = option_text(args, OPT_PACKAGE, NULL);
    parse_inputs(&r->inputs, given);
    parse_inputs(&r->accesses, &args->values[OPT_ACCESSES]);
    r->accesses.kind = APF_PROFGEN_ACCESSES;
    parse_options(r, args);
    r->report = option_text(args, OPT_REPORT, NULL);
    r->raw = option_flag(args, OPT_SKIP_SYMBOLIZATION);
    r->show_density = option_flag(args, OPT_SHOW_DENSITY);
    r->threshold = option_real(args, OPT_DENSITY_THRESHOLD, 50);
    r->cutoff = option_number(args, OPT_DENSITY_CUTOFF, 990000);
    if (r->raw && args->values[OPT_TO].place && !r->base.quiet && !session_is_llvm(session))
        report_warning(session, NULL,
                       "--format has no effect with --skip-symbolization, which has a text of its own");
    if (r->raw && args->values[OPT_FOR].place && !r->base.quiet)
        report_warning(session, NULL,
                       "--for has no effect with --skip-symbolization: no compiler reads its text");
    if (output_is_input(r))
        return EXIT_DATA;
    code = check_package(r);
    if (code != 0)
        return code;
    warn_of_directories(r);
    code = sample_output_parse(&r->output, &r->base, args, format_of(args));
    r->options.target = r->output.write.target;
    if (code == 0 && format_of(args) == APF_SAMPLE_GCC && r->options.target.kind != APF_SAMPLE_FOR_GCC &&
        r->inputs.kind != APF_PROFGEN_SAMPLE)
        return report_command_line(session, args,
                                   "--format=gcc needs --for=gcc-N, the release that is to read the profile");
    if (code == 0 && r->options.target.kind == APF_SAMPLE_FOR_GCC && !r->base.quiet && !r->raw)
        profgen_warn_of_idle(session, args, r->inputs.kind == APF_PROFGEN_SAMPLE);
    return code;
}

/* ---- the work ---- */

/* The name of a program in messages where there are several; NULL. */
static const char *name_of(const struct profgen_request *r, const struct profgen_program *p)
{
    return r->programs.n > 1 ? p->input.path : NULL;
}

/* In LLVM's words. What was asked for is printed whatever --quiet says. */
static int judge_density(const struct profgen_request *r, const struct profgen_program *p)
{
    const char *name = name_of(r, p);
    double density;
    struct apf_error error;
    int code = apf_profgen_density(p->sample, r->cutoff, &density, &error);
    if (code != APF_OK)
        return exit_code(r->base.session, NULL, code, &error);
    if (density <= 0 && !r->base.quiet)
        report_warning(
            r->base.session, name,
            "The output profile is empty or the --profile-density-cutoff-hot option is set too low. "
            "Please check your command.");
    else if (density < r->threshold && !r->base.quiet)
        report_warning(r->base.session, name,
                       "Sample PGO is estimated to optimize better with %.1fx more samples. Please consider "
                       "increasing sampling rate or profiling for longer duration to get more samples.",
                       r->threshold / density);
    if (r->show_density)
        printf("%s%sFunctions with density >= %.1f account for %.2f%% total sample counts.\n",
               name ? name : "", name ? ": " : "", density, (double)r->cutoff / 10000);
    return 0;
}

/* LLVM's density is no measure for GCC. */
static void warn_of_nothing(const struct profgen_request *r, const struct profgen_program *p)
{
    if (apf_sample_info(p->sample)->n_functions == 0)
        report_warning(r->base.session, name_of(r, p),
                       "the profile is empty: no sample is in a function that debug information knows");
}

/* The file that an error is about: the program, or one with its debug information. */
static const char *file_of(const struct profgen_program *p, const struct apf_error *error)
{
    return error->file[0] ? error->file : p->input.path;
}

/* An apf_diag_fn; `user` is a struct profgen_request. */
static int warn_of_finding(void *user, const struct apf_diag *diag)
{
    const struct profgen_request *r = user;
    char file[1024];
    if (!r->base.quiet)
        report_warning(r->base.session, printable(file, sizeof file, diag->source), "%s",
                       diag->error->message);
    return 0;
}

static int open_program(const struct profgen_request *r, struct profgen_program *p)
{
    struct apf_profgen_options options = r->options;
    struct apf_options common = r->base.limits;
    struct apf_error error;
    common.diag = warn_of_finding;
    common.user = (void *)(uintptr_t)r;
    options.options = &common;
    options.debug_file = r->debug_file;
    options.debug_directories = r->debug_directories;
    options.n_debug_directories = r->n_debug_directories;
    options.package = r->package;
    options.original = p->original.path ? &p->original : NULL;
    int code = apf_profgen_open(&p->profgen, &p->input, &options, &error);
    return exit_code(r->base.session, code != APF_OK ? file_of(p, &error) : NULL, code, &error);
}

static void print_program(const struct profgen_request *r, const struct profgen_program *p)
{
    char text[1024];
    if (name_of(r, p))
        fprintf(stderr, "%s:\n",
                printable(text, sizeof text, (struct apf_str){p->input.path, strlen(p->input.path)}));
    if (session_is_llvm(r->base.session)) {
        profgen_warn_as_llvm(r->base.session, apf_profgen_funnel(p->profgen));
    } else {
        profgen_print_debug_file(p->profgen);
        profgen_print_funnel(apf_profgen_funnel(p->profgen));
    }
    profgen_warn(r->base.session, p->input.path, apf_profgen_funnel(p->profgen));
}

/* Reports an error about a program; if there are no samples of it, with what became of them. */
static int report_program(const struct profgen_request *r, const struct profgen_program *p, int code,
                          const struct apf_error *error)
{
    int result = exit_code(r->base.session, code != APF_OK ? file_of(p, error) : NULL, code, error);
    if (code == APF_NOT_RECORDED && !r->base.quiet)
        print_program(r, p);
    return result;
}

static int make_profile(const struct profgen_request *r, struct profgen_program *p)
{
    struct apf_error error;
    int code = r->raw ? APF_OK : apf_profgen_make(p->profgen, &p->sample, &error);
    return report_program(r, p, code, &error);
}

static int write_raw(const struct profgen_request *r, const struct profgen_program *p)
{
    struct apf_output output = apf_output_file(p->output.path);
    struct apf_error error;
    int code = apf_profgen_write_raw(p->profgen, &output, &error);
    return code == APF_NOT_RECORDED ? report_program(r, p, code, &error)
                                    : exit_code(r->base.session, output.path, code, &error);
}

static int write_profile(const struct profgen_request *r, const struct profgen_program *p)
{
    if (r->raw)
        return write_raw(r, p);
    int result = sample_output_write(&r->output, p->sample, p->output.path);
    if (result != 0)
        return result;
    if (r->options.target.kind != APF_SAMPLE_FOR_GCC)
        return judge_density(r, p);
    if (!r->base.quiet)
        warn_of_nothing(r, p);
    return 0;
}

static int write_report(const struct profgen_request *r)
{
    struct apf_output output = apf_output_file(r->report);
    struct apf_error error;
    struct apf_profgen **handles = profgen_programs_handles(&r->programs);
    int code = r->programs.n == 1 ? apf_profgen_funnel_write(handles[0], &output, &error)
                                  : apf_profgen_funnel_write_all(handles, r->programs.n, &output, &error);
    free(handles);
    return exit_code(r->base.session, output.path, code, &error);
}

/* Whether anything of the samples is in a program. */
static bool is_used(const struct profgen_program *p)
{
    const struct apf_profgen_funnel *f = apf_profgen_funnel(p->profgen);
    return f->branches > f->branches_elsewhere || f->counts > f->counts_unplaced;
}

/* Of several programs some may not have run, but profiles of nothing alone would take the place of good ones. 0, or an
 * exit code after a report. */
static int check_used(const struct profgen_request *r)
{
    const struct profgen_programs *p = &r->programs;
    const struct apf_profgen_funnel *f = apf_profgen_funnel(p->list[0].profgen);
    for (size_t i = 0; i < p->n; i++)
        if (p->n == 1 || is_used(&p->list[i]))
            return 0;
    if (f->samples && f->samples == f->samples_unwanted)
        report_error(r->base.session, NULL, "no samples of these programs: no sample is of process %" PRIu32,
                     r->options.pid);
    else
        report_error(
            r->base.session, NULL,
            "no samples of these programs: none is in them; are these the programs that were recorded?");
    for (size_t i = 0; !r->base.quiet && i < p->n; i++)
        print_program(r, &p->list[i]);
    return EXIT_DATA;
}

/* Writes nothing before all profiles are made. */
static int generate(const struct profgen_request *r)
{
    const struct profgen_programs *p = &r->programs;
    int result = 0;
    for (size_t i = 0; result == 0 && i < p->n; i++)
        result = open_program(r, &p->list[i]);
    if (result == 0)
        result = profgen_inputs_read(&r->inputs, p, &r->base);
    if (result == 0)
        result = profgen_inputs_read(&r->accesses, p, &r->base);
    for (size_t i = 0; result == 0 && i < p->n; i++)
        result = make_profile(r, &p->list[i]);
    if (result == 0)
        result = check_used(r);
    for (size_t i = 0; result == 0 && i < p->n; i++)
        result = write_profile(r, &p->list[i]);
    for (size_t i = 0; result == 0 && !r->base.quiet && i < p->n; i++)
        print_program(r, &p->list[i]);
    return result == 0 && r->report ? write_report(r) : result;
}

int cmd_profgen(const struct session *session, const struct arguments *args)
{
    struct profgen_request r = {.raw = false};
    int code = parse_request(&r, session, args);
    if (code == 0)
        code = generate(&r);
    profgen_programs_free(&r.programs);
    free(r.inputs.list);
    free(r.accesses.list);
    return code;
}
