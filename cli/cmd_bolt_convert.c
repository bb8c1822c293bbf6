/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* anyprof bolt convert */
#include <stdlib.h>
#include <string.h>

#include <anyprof/bolt.h>

#include "funnel.h"
#include "limits.h"
#include "perf_tool.h"
#include "places.h"
#include "report.h"

static int usage(const struct session *session, const struct arguments *args, const char *wrong)
{
    report_usage(session, "%s: %s.  Try: '%s %s --help'", args->command->name, wrong,
                 session->persona->invoked, args->command->name);
    return session->persona->usage_exit;
}

/* ---- what is written ---- */

enum written { WRITTEN_FDATA, WRITTEN_YAML, WRITTEN_REPORT, WRITTEN_N };

/* fdata goes to standard output unless something else is asked for. */
static void find_places(struct place places[WRITTEN_N], const struct arguments *args)
{
    const char *yaml = option_text(args, OPT_WRITE_YAML, NULL);
    places[WRITTEN_FDATA] = (struct place){"profile", option_text(args, OPT_OUTPUT, yaml ? NULL : "-")};
    places[WRITTEN_YAML] = (struct place){"profile in YAML", yaml};
    places[WRITTEN_REPORT] = (struct place){"report", place_of_report(args)};
}

/* Whether something would be written to the place of what comes before it. True: it was said. */
static bool is_taken(const struct session *session, const struct place *places, int i)
{
    for (int k = 0; k < i; k++)
        if (place_is_shared(session, &places[i], &places[k]))
            return true;
    return false;
}

/* Whether something would replace what is read, or something else that is written. True: it was said. */
static bool would_replace(const struct apf_input *program, const struct apf_input *inputs, size_t n,
                          const struct session *session, const struct place *places)
{
    for (int i = 0; i < WRITTEN_N; i++)
        if (places[i].path && (place_is_input(session, places[i].what, places[i].path, program, 1) ||
                               place_is_input(session, places[i].what, places[i].path, inputs, n) ||
                               is_taken(session, places, i)))
            return true;
    return false;
}

/* ---- the conversion ---- */

struct results {
    struct apf_fdata *fdata;
    struct apf_bolt_yaml *yaml;
    struct apf_bolt_funnel funnel;
};

static int write_one(struct results *r, int what, const struct apf_output *output, struct apf_error *error)
{
    switch (what) {
    case WRITTEN_FDATA:
        return apf_fdata_write(r->fdata, output, error);
    case WRITTEN_YAML:
        return apf_bolt_yaml_write(r->yaml, output, error);
    default:
        return apf_bolt_funnel_write(&r->funnel, output, error);
    }
}

/* A link may lead to a file only when that was written: what is there is asked for again. */
static int write_all(struct results *r, const struct session *session, const struct place *places)
{
    for (int i = 0; i < WRITTEN_N; i++) {
        struct apf_output output = {places[i].path, NULL, NULL, 0};
        struct apf_error error;
        if (!output.path)
            continue;
        if (is_taken(session, places, i))
            return EXIT_DATA;
        if (write_one(r, i, &output, &error) != APF_OK) {
            report_failure(session, output.path, &error);
            return EXIT_DATA;
        }
    }
    return 0;
}

/* What it is made of. */
struct conversion {
    const struct apf_input *program, *samples;
    size_t n;
    const struct apf_input *build_ids;
    struct perf_tool *perf; /* prints the samples; NULL: they are in files */
    const struct place *places;
};

static void set_options(struct apf_bolt_convert_options *options, const struct conversion *c,
                        const struct arguments *args)
{
    bool perf = !args->values[OPT_PA].n_list;
    options->size = sizeof *options;
    options->options = limits_of(args);
    options->flags = (option_flag(args, OPT_BASIC_EVENTS) ? APF_BOLT_BASIC : 0) |
                     (perf ? APF_BOLT_PERF_SCRIPT : 0) |
                     (option_flag(args, OPT_IGNORE_BUILD_ID) ? APF_BOLT_IGNORE_BUILD_ID : 0) |
                     (option_number(args, OPT_IGNORE_INTERRUPT_LBR, 1) ? 0 : APF_BOLT_KEEP_KERNEL);
    options->pid = (uint32_t)option_number(args, OPT_PID, 0);
    options->max_samples = option_number(args, OPT_MAX_SAMPLES, 0);
    options->build_ids = c->build_ids;
}

static int make(struct results *r, const struct conversion *c, const struct arguments *args,
                struct apf_error *error)
{
    struct apf_bolt_convert_options options = {0};
    set_options(&options, c, args);
    int code = c->places[WRITTEN_FDATA].path ? apf_fdata_new(&r->fdata, &options.options, error) : APF_OK;
    if (code == APF_OK && c->places[WRITTEN_YAML].path)
        code = apf_bolt_yaml_new(&r->yaml, &options.options, error);
    if (code == APF_OK)
        code = apf_bolt_convert(c->program, c->samples, c->n, &options, r->fdata, r->yaml, &r->funnel, error);
    return code;
}

static void report(const struct conversion *c, const struct session *session, const struct apf_error *error)
{
    const struct apf_input *at_fault = c->program;
    if (error->input < c->n)
        at_fault = &c->samples[error->input];
    else if (error->input > c->n && c->build_ids)
        at_fault = c->build_ids;
    report_failure(session, at_fault->name ? at_fault->name : at_fault->path, error);
}

static int convert(const struct conversion *c, const struct session *session, const struct arguments *args)
{
    struct results r = {.funnel = {.size = sizeof r.funnel}};
    struct apf_error error;
    int code = make(&r, c, args, &error), result = EXIT_DATA;
    if (c->perf && !perf_tool_finish(c->perf, session))
        code = APF_STOPPED; /* whatever was made of what it printed before; it was said */
    else if (code != APF_OK)
        report(c, session, &error);
    if (code == APF_OK)
        result = write_all(&r, session, c->places);
    if (result == 0 && !option_flag(args, OPT_QUIET)) {
        funnel_print(&r.funnel);
        funnel_warn(session, c->program->path, &r.funnel);
    }
    apf_bolt_yaml_free(r.yaml);
    apf_fdata_free(r.fdata);
    return result;
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
static int convert_perf_data(struct conversion c, const struct session *session, const struct arguments *args)
{
    static const char *const branches[] = {"-F", "pid,time,event,brstack", "--show-mmap-events",
                                           "--show-task-events", NULL};
    static const char *const addresses[] = {
        "-F", "pid,time,event,ip", "-G", "--show-mmap-events", "--show-task-events", NULL};
    const char *file = option_text(args, OPT_PERF_DATA, NULL);
    struct apf_input samples = {"-", NULL, 0, file, 0}, build_ids = {NULL, NULL, 0, "perf buildid-list", 0};
    struct perf_tool perf;
    char *ids = NULL;
    c.samples = &samples;
    c.perf = &perf;
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

/* How many of the inputs are standard input, which can be read once. */
static size_t count_stdin(const struct arguments *args)
{
    static const size_t lists[] = {OPT_PA, OPT_PERF_SCRIPT};
    size_t n = (strcmp(args->files[0], "-") == 0) + (strcmp(option_text(args, OPT_BUILD_IDS, ""), "-") == 0);
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
        for (size_t k = 0; k < args->values[lists[i]].n_list; k++)
            n += strcmp(args->values[lists[i]].list[k], "-") == 0;
    return n;
}

/* What is wrong with the arguments, or NULL. */
static const char *find_wrong(const struct arguments *args)
{
    bool pa = args->values[OPT_PA].n_list, script = args->values[OPT_PERF_SCRIPT].n_list;
    const char *data = option_text(args, OPT_PERF_DATA, NULL);
    if (!args->n_files)
        return "a PROGRAM is required";
    if (count_stdin(args) > 1)
        return "standard input can be read once";
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
    struct place places[WRITTEN_N];
    if (wrong)
        return usage(session, args, wrong);
    const struct option_value *given = &args->values[args->values[OPT_PA].n_list ? OPT_PA : OPT_PERF_SCRIPT];
    size_t n = data ? 1 : given->n_list;
    struct apf_input program = {args->files[0], NULL, 0, NULL, 0};
    struct apf_input *samples = checked_realloc(NULL, n + 1, sizeof *samples);
    for (size_t i = 0; i < n; i++)
        samples[i] = (struct apf_input){data ? data : given->list[i], NULL, 0, NULL, 0};
    samples[n] = (struct apf_input){option_text(args, OPT_BUILD_IDS, NULL), NULL, 0, NULL, 0};
    struct conversion c = {&program, samples, n, samples[n].path ? &samples[n] : NULL, NULL, places};
    int code = EXIT_DATA;
    find_places(places, args);
    if (!would_replace(&program, samples, n + (c.build_ids != NULL), session, places))
        code = data ? convert_perf_data(c, session, args) : convert(&c, session, args);
    free(samples);
    return code;
}
