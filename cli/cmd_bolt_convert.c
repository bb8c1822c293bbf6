/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* anyprof bolt convert */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <anyprof/bolt.h>

#include "merge_places.h"
#include "perf_tool.h"
#include "report.h"

static int usage(const struct session *session, const struct arguments *args, const char *wrong)
{
    report_usage(session, "%s: %s.  Try: '%s %s --help'", args->command->name, wrong,
                 session->persona->invoked, args->command->name);
    return session->persona->usage_exit;
}

/* ---- what became of the samples ---- */

static void row(uint64_t n, uint64_t of, const char *what)
{
    if (n)
        fprintf(stderr, "%14" PRIu64 "  %5.1f %%  %s\n", n, of ? 100.0 * (double)n / (double)of : 0.0, what);
}

static void print_perf(const struct apf_bolt_funnel *f)
{
    fprintf(stderr, "%14" PRIu64 "           processes of the program\n", f->processes);
    row(f->samples, f->samples, "samples");
    row(f->samples_elsewhere, f->samples, "    of other processes");
    row(f->samples_empty, f->samples, "    without branches");
    row(f->samples_beyond, f->samples + f->samples_beyond, "more, which were not read");
    row(f->entries, f->entries, "entries of branch stacks");
    row(f->entries_kernel, f->entries, "    from or to the kernel: left out");
    row(f->entries_repeated, f->entries, "    the newest of stacks of 32, which may be wrong: left out");
    row(f->entries_silent, f->entries, "    without prediction: taken for right ones");
    row(f->entries_not_taken, f->entries, "    not taken: left out");
    row(f->loads, f->samples, "loads: what they loaded is not in the profile");
}

static void print_funnel(const struct apf_bolt_funnel *f)
{
    fprintf(stderr, "%14" PRIu64 "           %s read\n", f->records, f->perf_script ? "lines" : "records");
    if (f->perf_script)
        print_perf(f);
    row(f->branches, f->branches, "branches seen");
    row(f->branches_mapped, f->branches, "    in the profile");
    row(f->returns, f->branches, "    returns, which profiles do not hold");
    row(f->branches_outside, f->branches, "    outside of the program's functions");
    row(f->falls, f->falls, "runs from a branch to the next one");
    row(f->falls_mapped, f->falls, "    in the profile");
    row(f->falls_outside, f->falls, "    not in the program's functions");
    row(f->falls_torn, f->falls, "    from one function to another one");
    row(f->falls_without_table, f->falls,
        "    in functions that BOLT left alone, whose blocks are not known: lost");
    row(f->basic, f->basic, "samples of instructions");
    row(f->basic_mapped, f->basic, "    in the profile");
    row(f->basic_outside, f->basic, "    outside of the program's functions");
    row(f->other_mode, f->other_mode, "of the other kind, not asked for");
    fprintf(stderr, "%14" PRIu64 "           different places in the profile\n", f->edges);
}

/* ---- the command ---- */

static int write_report(const struct session *session, const struct arguments *args,
                        const struct apf_bolt_funnel *funnel)
{
    struct apf_output output = {place_of_report(args), NULL, NULL, 0};
    struct apf_error error;
    if (!output.path)
        return 0;
    if (place_is_taken(session, args))
        return EXIT_DATA;
    if (apf_bolt_funnel_write(funnel, &output, &error) == APF_OK)
        return 0;
    report_failure(session, output.path, &error);
    return EXIT_DATA;
}

static void warn(const struct session *session, const struct arguments *args,
                 const struct apf_bolt_funnel *funnel)
{
    const char *program = args->files[0];
    if (funnel->edges == 0)
        report_warning(session, program, "no sample is in the program: the profile is empty");
    if (funnel->samples_elsewhere > funnel->samples / 2)
        report_warning(session, program, "less than half of the samples are of this program");
    if (funnel->lines_of_else)
        report_warning(session, NULL,
                       "%" PRIu64 " lines are neither samples nor events, the first one line %" PRIu64
                       ": they are not used",
                       funnel->lines_of_else, funnel->first_else);
    if (funnel->mappings_ignored)
        report_warning(session, program,
                       "files of this name were mapped where it cannot be, or are of another build: %" PRIu64
                       " mappings are not used",
                       funnel->mappings_ignored);
    if (funnel->build_id_unknown)
        report_warning(session, program, "its build id is not in the recording, which has files without one");
    if (funnel->name_by_build_id)
        report_warning(session, program, "it was recorded under another name, which has its build id");
}

static int write_profile(struct apf_fdata *fdata, const struct session *session, const struct arguments *args,
                         const struct apf_bolt_funnel *funnel)
{
    struct apf_output output = {option_text(args, OPT_OUTPUT, "-"), NULL, NULL, 0};
    struct apf_error error;
    if (apf_fdata_write(fdata, &output, &error) != APF_OK) {
        report_failure(session, output.path, &error);
        return EXIT_DATA;
    }
    if (!option_flag(args, OPT_QUIET))
        print_funnel(funnel);
    warn(session, args, funnel);
    return write_report(session, args, funnel);
}

/* What it is made of. */
struct conversion {
    const struct apf_input *samples;
    size_t n;
    const struct apf_input *build_ids;
    struct perf_tool *perf; /* prints the samples; NULL: they are in files */
};

static void set_options(struct apf_bolt_convert_options *options, const struct conversion *c,
                        const struct arguments *args)
{
    bool perf = !args->values[OPT_PA].n_list;
    options->size = sizeof *options;
    options->options.size = sizeof options->options;
    options->options.max_bytes = option_number(args, OPT_MAX_INPUT_SIZE, 0);
    options->flags = (option_flag(args, OPT_BASIC_EVENTS) ? APF_BOLT_BASIC : 0) |
                     (perf ? APF_BOLT_PERF_SCRIPT : 0) |
                     (option_flag(args, OPT_IGNORE_BUILD_ID) ? APF_BOLT_IGNORE_BUILD_ID : 0) |
                     (option_number(args, OPT_IGNORE_INTERRUPT_LBR, 1) ? 0 : APF_BOLT_KEEP_KERNEL);
    options->pid = (uint32_t)option_number(args, OPT_PID, 0);
    options->max_samples = option_number(args, OPT_MAX_SAMPLES, 0);
    options->build_ids = c->build_ids;
}

static int convert(const struct conversion *c, const struct session *session, const struct arguments *args)
{
    struct apf_bolt_convert_options options = {0};
    struct apf_input program = {args->files[0], NULL, 0, NULL, 0};
    struct apf_bolt_funnel funnel = {.size = sizeof funnel};
    struct apf_fdata *fdata;
    struct apf_error error;
    set_options(&options, c, args);
    int code = apf_fdata_new(&fdata, &options.options, &error);
    if (code == APF_OK)
        code = apf_bolt_convert(&program, c->samples, c->n, &options, fdata, &funnel, &error);
    if (c->perf && !perf_tool_finish(c->perf, session)) {
        code = EXIT_DATA; /* whatever was made of what it printed before */
    } else if (code == APF_OK) {
        code = write_profile(fdata, session, args, &funnel);
    } else {
        const struct apf_input *at_fault = &program;
        if (error.input < c->n)
            at_fault = &c->samples[error.input];
        else if (error.input > c->n && c->build_ids)
            at_fault = c->build_ids;
        report_failure(session, at_fault->name ? at_fault->name : at_fault->path, &error);
        code = EXIT_DATA;
    }
    apf_fdata_free(fdata);
    return code;
}

/* ---- perf ---- */

/* What the file says of build ids, as text; n == 0 where that failed, which is said. */
static char *list_build_ids(const struct session *session, const char *file, size_t *n)
{
    static const char *const words[] = {NULL};
    struct perf_tool perf;
    *n = 0;
    if (!perf_tool_start(&perf, session, "buildid-list", words, file))
        return NULL;
    char *text = perf_tool_read(&perf, session, n);
    if (perf_tool_finish(&perf, session) && text)
        return text;
    free(text);
    return NULL;
}

/* One run of perf prints the samples, and what happened to processes. */
static int convert_perf_data(const struct session *session, const struct arguments *args)
{
    static const char *const branches[] = {"-F", "pid,time,event,brstack", "--show-mmap-events",
                                           "--show-task-events", NULL};
    static const char *const addresses[] = {
        "-F", "pid,time,event,ip", "-G", "--show-mmap-events", "--show-task-events", NULL};
    const char *file = option_text(args, OPT_PERF_DATA, NULL);
    struct apf_input samples = {"-", NULL, 0, file, 0}, build_ids = {NULL, NULL, 0, "perf buildid-list", 0};
    struct perf_tool perf;
    struct conversion c = {&samples, 1, NULL, &perf};
    char *ids = NULL;
    if (!option_flag(args, OPT_IGNORE_BUILD_ID)) {
        ids = list_build_ids(session, file, &build_ids.n);
        if (!ids)
            return EXIT_DATA;
        build_ids.data = ids;
        c.build_ids = &build_ids;
    }
    int code = EXIT_DATA;
    if (perf_tool_start(&perf, session, "script", option_flag(args, OPT_BASIC_EVENTS) ? addresses : branches,
                        file)) {
        if (perf_tool_to_stdin(&perf, session))
            code = convert(&c, session, args);
        else
            perf_tool_finish(&perf, session);
    }
    free(ids);
    return code;
}

/* ---- the arguments ---- */

/* Whether a file that is written is also one that is read, or both that are written are one. True: it was said. */
static bool would_replace_input(const struct apf_input *samples, size_t n, const struct session *session,
                                const struct arguments *args)
{
    const struct apf_input program = {args->files[0], NULL, 0, NULL, 0};
    const char *profile = option_text(args, OPT_OUTPUT, "-"), *report = place_of_report(args);
    if (place_is_input(session, "profile", profile, &program, 1) ||
        place_is_input(session, "profile", profile, samples, n))
        return true;
    return report && (place_is_input(session, "report", report, &program, 1) ||
                      place_is_input(session, "report", report, samples, n) || place_is_taken(session, args));
}

/* What is wrong with the arguments, or NULL. */
static const char *find_wrong(const struct arguments *args)
{
    bool pa = args->values[OPT_PA].n_list, script = args->values[OPT_PERF_SCRIPT].n_list;
    const char *data = option_text(args, OPT_PERF_DATA, NULL);
    if (!args->n_files)
        return "a PROGRAM is required";
    if (pa + script + (data != NULL) > 1)
        return "samples are of one kind: --pa, --perf-script or -p";
    if (!pa && !script && !data)
        return "samples are required: --pa=FILE, --perf-script=FILE or -p FILE";
    if (data && strcmp(data, "-") == 0)
        return "perf reads the file of -p several times: standard input will not do";
    if (option_text(args, OPT_BUILD_IDS, NULL) && !script)
        return "--build-ids goes with --perf-script";
    if (pa && (args->values[OPT_PID].place || args->values[OPT_MAX_SAMPLES].place ||
               args->values[OPT_IGNORE_BUILD_ID].place || args->values[OPT_IGNORE_INTERRUPT_LBR].place))
        return "--pid, --max-samples, --ignore-build-id and --ignore-interrupt-lbr are about what perf "
               "recorded";
    return NULL;
}

int cmd_bolt_convert(const struct session *session, const struct arguments *args)
{
    const char *wrong = find_wrong(args), *data = option_text(args, OPT_PERF_DATA, NULL);
    if (wrong)
        return usage(session, args, wrong);
    const struct option_value *given = &args->values[args->values[OPT_PA].n_list ? OPT_PA : OPT_PERF_SCRIPT];
    size_t n = data ? 1 : given->n_list;
    struct apf_input *samples = checked_realloc(NULL, n + 1, sizeof *samples);
    for (size_t i = 0; i < n; i++)
        samples[i] = (struct apf_input){data ? data : given->list[i], NULL, 0, NULL, 0};
    samples[n] = (struct apf_input){option_text(args, OPT_BUILD_IDS, NULL), NULL, 0, NULL, 0};
    struct conversion c = {samples, n, samples[n].path ? &samples[n] : NULL, NULL};
    int code = EXIT_DATA;
    if (!would_replace_input(samples, n + (c.build_ids != NULL), session, args))
        code = data ? convert_perf_data(session, args) : convert(&c, session, args);
    free(samples);
    return code;
}
