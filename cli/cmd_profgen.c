/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* anyprof profgen */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <anyprof/profgen.h>

#include "command.h"
#include "memory.h"
#include "places.h"
#include "write_samples.h"

/* ---- the request ---- */

struct profgen_request {
    struct request base;
    struct apf_input program;
    const char *debug_file, *package; /* NULL: not given */
    const char *const *debug_directories;
    size_t n_debug_directories;
    struct apf_input *inputs;
    size_t n;
    enum apf_profgen_input kind;
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
                {OPT_RAW_COUNTS, APF_PROFGEN_RAW}};
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
        return "`--perfscript`, `--perfdata` and `--unsymbolized-profile` cannot be used together";
    if (option_flag(args, OPT_SKIP_SYMBOLIZATION) && args->values[OPT_TO].place)
        return "--skip-symbolization writes text of its own: there is no --format of it";
    return NULL;
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

/* In the library a depth is one more, and 0 no limit. */
static uint32_t depth_of(const struct arguments *args, enum option_id id, uint32_t otherwise)
{
    return (uint32_t)option_number(args, id, otherwise) + 1;
}

static void parse_options(struct profgen_request *r, const struct arguments *args)
{
    struct apf_profgen_options *o = &r->options;
    o->size = sizeof *o;
    o->flags = (option_flag(args, OPT_IGNORE_BUILD_ID) ? APF_PROFGEN_IGNORE_BUILD_ID : 0) |
               (option_flag(args, OPT_USE_DWARF) ? APF_PROFGEN_USE_LINES : 0) |
               (option_number(args, OPT_SYMBOL_FUNCTIONS, 1) ? 0 : APF_PROFGEN_NO_SYMBOLS) |
               (option_number(args, OPT_USE_OFFSET, 1) ? 0 : APF_PROFGEN_ABSOLUTE) |
               (option_flag(args, OPT_FIRST_SEGMENT) ? APF_PROFGEN_FIRST_SEGMENT : 0) | context_flags(args);
    o->pid = (uint32_t)option_number(args, OPT_PID, 0);
    o->recursion = depth_of(args, OPT_RECURSION, UINT32_MAX);
    o->context_depth = depth_of(args, OPT_CONTEXT_DEPTH, UINT32_MAX);
    o->chain_depth = depth_of(args, OPT_CHAIN_DEPTH, UINT32_MAX);
    o->hot_count = option_number(args, OPT_HOT_CONTEXTS, UINT64_MAX) + 1;
    o->cold_count = option_number(args, OPT_COLD_CALLS, UINT64_MAX) + 1;
    o->cold_depth = (uint32_t)option_number(args, OPT_COLD_DEPTH, 1);
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
    const struct place places[] = {{"profile", r->base.output}, {"report", r->report}};
    const struct apf_input beside[] = {r->program,
                                       apf_input_file(r->debug_file ? r->debug_file : r->program.path),
                                       apf_input_file(r->package ? r->package : r->program.path)};
    for (size_t i = 0; i < 2 && places[i].path; i++)
        if (place_is_input(session, &places[i], beside, sizeof beside / sizeof *beside) ||
            place_is_input(session, &places[i], r->inputs, r->n))
            return true;
    return r->report && place_is_shared(session, &places[1], &places[0]);
}

/* 0, or an exit code after a report. r->inputs is for free() either way. */
static int parse_request(struct profgen_request *r, const struct session *session,
                         const struct arguments *args)
{
    size_t kinds;
    const struct option_value *given = find_inputs(args, &r->kind, &kinds);
    const char *wrong = find_wrong(args, kinds);
    if (wrong)
        return report_wrong(session, args, wrong);
    r->base = request_of(session, args);
    r->program = apf_input_file(option_text(args, OPT_BINARY, NULL));
    r->debug_file = option_text(args, OPT_DEBUG_BINARY, NULL);
    r->debug_directories = (const char *const *)args->values[OPT_DEBUG_DIRECTORIES].list;
    r->n_debug_directories = args->values[OPT_DEBUG_DIRECTORIES].n_list;
    r->package = option_text(args, OPT_PACKAGE, NULL);
    r->n = given->n_list;
    r->inputs = checked_realloc(NULL, r->n, sizeof *r->inputs);
    for (size_t i = 0; i < r->n; i++)
        r->inputs[i] = apf_input_file(given->list[i]);
    parse_options(r, args);
    r->report = option_text(args, OPT_REPORT, NULL);
    r->raw = option_flag(args, OPT_SKIP_SYMBOLIZATION);
    r->show_density = option_flag(args, OPT_SHOW_DENSITY);
    r->threshold = option_real(args, OPT_DENSITY_THRESHOLD, 50);
    r->cutoff = option_number(args, OPT_DENSITY_CUTOFF, 990000);
    if (output_is_input(r))
        return EXIT_DATA;
    int code = sample_output_parse(&r->output, &r->base, args, format_of(args));
    r->options.target = r->output.write.target;
    return code;
}

/* ---- what became of the samples ---- */

static void print_number(uint64_t n, const char *meaning)
{
    fprintf(stderr, "%14" PRIu64 "           %s\n", n, meaning);
}

static void print_share(uint64_t n, uint64_t of, const char *meaning)
{
    if (n)
        fprintf(stderr, "%14" PRIu64 "  %5.1f %%  %s\n", n, of ? 100.0 * (double)n / (double)of : 0.0,
                meaning);
}

static void print_funnel(const struct apf_profgen_funnel *f)
{
    if (f->samples) {
        print_number(f->samples, "samples");
        print_share(f->samples_unwanted, f->samples, "    of other processes: not used");
        print_share(f->samples_no_stack, f->samples,
                    f->samples_plain ? "    without branches: each counts for where it was taken"
                                     : "    without branches: not used");
    }
    if (f->stacks) {
        print_number(f->stacks, "branch stacks");
        print_share(f->stacks_elsewhere, f->stacks, "    with no branch in the program");
        print_number(f->branches, "branches");
        print_share(f->branches_elsewhere, f->branches, "    outside of the program's code");
        print_share(f->branches_in, f->branches, "    from outside into it");
        print_share(f->branches_out, f->branches, "    out of it");
        print_number(f->ranges, "runs from a branch to the next one");
        print_share(f->ranges_elsewhere, f->ranges, "    partly or wholly outside: not used");
        print_share(f->ranges_broken, f->ranges, "    over code that does not run through: not used");
    }
    if (f->calls_stacks) {
        print_number(f->calls_stacks, "call stacks");
        print_share(f->calls_none, f->calls_stacks, "    empty: the sample is not used");
        print_share(f->calls_unready, f->calls_stacks,
                    "    where a function sets up or gives up its frame: the sample is not used");
        print_share(f->calls_elsewhere, f->calls_stacks, "    from outside of the program");
        print_share(f->calls_cut, f->calls_stacks, "    cut off: a return address does not follow a call");
        print_share(f->calls_long, f->calls_stacks, "    cut off after 1000 frames");
        print_share(f->calls_broken, f->calls_stacks, "    that do not fit the branches");
    }
    if (f->counts) {
        print_number(f->counts, "counts of probes or instructions");
        print_share(f->counts_unplaced, f->counts, "    of functions that are not known: left out");
        print_number(f->calls, "calls");
        print_share(f->calls_unplaced, f->calls, "    from where no probe or function is known");
        print_share(f->contexts_dropped_counts, f->counts,
                    "    in circles of calls: dropped, as by llvm-profgen");
        print_share(f->contexts_cold_counts, f->counts, "    of cold functions: left out");
        print_share(f->contexts_refused_counts, f->counts,
                    "    of functions with contradicting checksums: left out");
    }
}

static void warn_of_samples(const struct profgen_request *r, const struct apf_profgen_funnel *f)
{
    const struct session *session = r->base.session;
    if (f->cut)
        report_warning(
            session, NULL,
            "a recording is cut off or damaged; what comes before is used ('anyprof perf info' says "
            "more)");
    if (f->samples_damaged)
        report_warning(session, NULL, "samples that cannot be read are not used: %" PRIu64,
                       f->samples_damaged);
    if (f->samples_lost)
        report_warning(session, NULL,
                       "perf says that it lost records, so that the profile is not complete: %" PRIu64,
                       f->samples_lost);
    if (f->no_build_id)
        report_warning(session, r->program.path,
                       "it was recognised by its name: the recording, or the program, has no build id");
    if (f->other_build)
        report_warning(session, r->program.path, "another build of it was recorded");
    if (f->unmapped)
        report_warning(session, r->program.path,
                       "the text does not say where it was mapped: its addresses are taken as they are");
    if (f->bad_lines)
        report_warning(session, NULL,
                       "lines with an address that cannot be read: %" PRIu64
                       ", the first one is line %" PRIu64,
                       f->bad_lines, f->first_bad_line);
    if (f->bad_mappings)
        report_warning(session, NULL, "mappings that cannot be read are not used: %" PRIu64, f->bad_mappings);
    if (f->stacks && f->stacks == f->stacks_elsewhere)
        report_warning(session, r->program.path,
                       "no branch is in the program; is this the program that was recorded?");
}

/* In LLVM's words. */
static int judge_density(const struct profgen_request *r, const struct apf_sample *sample)
{
    double density;
    struct apf_error error;
    int code = apf_profgen_density(sample, r->cutoff, &density, &error);
    if (code != APF_OK)
        return exit_code(r->base.session, NULL, code, &error);
    if (density <= 0)
        report_warning(
            r->base.session, NULL,
            "The output profile is empty or the --profile-density-cutoff-hot option is set too low. "
            "Please check your command.");
    else if (density < r->threshold)
        report_warning(r->base.session, NULL,
                       "Sample PGO is estimated to optimize better with %.1fx more samples. Please consider "
                       "increasing sampling rate or profiling for longer duration to get more samples.",
                       r->threshold / density);
    if (r->show_density)
        printf("Functions with density >= %.1f account for %.2f%% total sample counts.\n", density,
               (double)r->cutoff / 10000);
    return 0;
}

/* LLVM's density is no measure for GCC. */
static void warn_of_nothing(const struct profgen_request *r, const struct apf_sample *sample)
{
    if (apf_sample_info(sample)->n_functions == 0)
        report_warning(r->base.session, NULL,
                       "the profile is empty: no sample is in a function that debug information knows");
}

/* ---- the work ---- */

/* The file that an error is about: the program, or one with its debug information. */
static const char *file_of(const struct profgen_request *r, const struct apf_error *error)
{
    return error->file[0] ? error->file : r->program.path;
}

static int write_profile(const struct profgen_request *r, struct apf_profgen *profgen)
{
    const struct session *session = r->base.session;
    struct apf_output output = apf_output_file(r->base.output);
    struct apf_error error;
    struct apf_sample *sample;
    if (r->raw)
        return exit_code(session, output.path, apf_profgen_write_raw(profgen, &output, &error), &error);
    int code = apf_profgen_make(profgen, &sample, &error);
    if (code != APF_OK)
        return exit_code(session, file_of(r, &error), code, &error);
    int result = sample_output_write(&r->output, sample, output.path);
    if (result == 0 && !r->base.quiet && r->options.target.kind == APF_SAMPLE_FOR_GCC)
        warn_of_nothing(r, sample);
    else if (result == 0 && !r->base.quiet)
        result = judge_density(r, sample);
    apf_sample_close(sample);
    return result;
}

static int write_report(const struct profgen_request *r, struct apf_profgen *profgen)
{
    struct apf_output output = apf_output_file(r->report);
    struct apf_error error;
    return exit_code(r->base.session, output.path, apf_profgen_funnel_write(profgen, &output, &error),
                     &error);
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

static void print_debug_file(const struct apf_profgen *profgen)
{
    const char *path = apf_profgen_debug_file(profgen);
    char text[1024];
    if (path)
        fprintf(stderr, "debug information: %s\n",
                printable(text, sizeof text, (struct apf_str){path, strlen(path)}));
}

static int generate(const struct profgen_request *r)
{
    const struct session *session = r->base.session;
    struct apf_profgen_options options = r->options;
    struct apf_options common = r->base.limits;
    struct apf_profgen *profgen;
    struct apf_error error;
    common.diag = warn_of_finding;
    common.user = (void *)(uintptr_t)r;
    options.options = &common;
    options.debug_file = r->debug_file;
    options.debug_directories = r->debug_directories;
    options.n_debug_directories = r->n_debug_directories;
    options.package = r->package;
    int code = apf_profgen_open(&profgen, &r->program, &options, &error);
    if (code != APF_OK)
        return exit_code(session, file_of(r, &error), code, &error);
    code = apf_profgen_read(profgen, r->kind, r->inputs, r->n, &error);
    const char *input = code != APF_OK && error.input < r->n ? r->inputs[error.input].path : NULL;
    int result = exit_code(session, code == APF_NOT_RECORDED ? r->program.path : input, code, &error);
    if (result == 0)
        result = write_profile(r, profgen);
    if (result == 0 && !r->base.quiet) {
        print_debug_file(profgen);
        print_funnel(apf_profgen_funnel(profgen));
        warn_of_samples(r, apf_profgen_funnel(profgen));
    }
    if (result == 0 && r->report)
        result = write_report(r, profgen);
    apf_profgen_close(profgen);
    return result;
}

int cmd_profgen(const struct session *session, const struct arguments *args)
{
    struct profgen_request r = {.n = 0};
    int code = parse_request(&r, session, args);
    if (code == 0)
        code = generate(&r);
    free(r.inputs);
    return code;
}
