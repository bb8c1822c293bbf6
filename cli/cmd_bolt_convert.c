/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* anyprof bolt convert */
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include <anyprof/bolt.h>
#include <anyprof/jobs.h>

#include "command.h"
#include "detect_again.h"
#include "funnel.h"
#include "memory.h"
#include "name_pattern.h"
#include "places.h"

/* ---- the request ---- */

enum written { WRITTEN_FDATA, WRITTEN_YAML, WRITTEN_REPORT, WRITTEN_N };

struct convert_request {
    struct request base;
    struct apf_input program;
    struct apf_input *samples;
    size_t n_samples;
    struct apf_input build_ids; /* path NULL: none */
    struct place places[WRITTEN_N];
    uint32_t flags; /* APF_BOLT_* */
    uint32_t pid;
    uint64_t max_samples;
    bool limits_losses; /* --max-lost */
    uint64_t max_lost;  /* in millionths of a per cent */
    struct skip_patterns *skip;
};

/* The inputs that the command line names. */
struct named {
    const char *program; /* NULL: none */
    const char *const *pa, *const *scripts;
    size_t n_pa, n_scripts;
    const char *perf_data; /* NULL: none */
    const char *build_ids; /* NULL: none */
};

/* Whether a value is one that LLVM's tools take for a flag. */
static bool is_true(const char *text)
{
    return strcasecmp(text, "true") == 0 || strcmp(text, "1") == 0;
}

/* With -p, --pa may be the flag of perf2bolt, which says what the file of -p has; then a word after it is PROGRAM. */
static struct named find_named(const struct arguments *args)
{
    const struct option_value *pa = &args->values[OPT_PA], *script = &args->values[OPT_PERF_SCRIPT],
                              *data = &args->values[OPT_PERF_DATA];
    struct named in = {.program = args->n_files ? args->files[0] : NULL,
                       .pa = pa->list,
                       .scripts = script->list,
                       .n_pa = pa->n_list,
                       .n_scripts = script->n_list,
                       .perf_data = data->text,
                       .build_ids = option_text(args, OPT_BUILD_IDS, NULL)};
    if (!pa->place || !in.perf_data)
        return in;
    if (in.n_pa == 1 && !in.program)
        in.program = pa->list[--in.n_pa];
    else if (in.n_pa == 1 && is_true(pa->list[0]))
        in.n_pa = 0;
    if (in.n_pa == 0) {
        in.pa = &data->text;
        in.n_pa = 1;
        in.perf_data = NULL;
    }
    return in;
}

static size_t count_dashes(const char *const *list, size_t n)
{
    size_t dashes = 0;
    for (size_t i = 0; i < n; i++)
        dashes += list[i] && strcmp(list[i], "-") == 0;
    return dashes;
}

/* How many of the inputs are standard input, which can be read once. */
static size_t count_stdin(const struct named *in)
{
    return count_dashes(&in->program, 1) + count_dashes(&in->build_ids, 1) + count_dashes(in->pa, in->n_pa) +
           count_dashes(in->scripts, in->n_scripts) + count_dashes(&in->perf_data, 1);
}

/* What is wrong with the arguments; NULL: nothing. */
static const char *find_wrong(const struct arguments *args, const struct named *in)
{
    if (!in->program)
        return "a PROGRAM is required";
    if (count_stdin(in) > 1)
        return "only one input can be standard input";
    if ((in->n_pa != 0) + (in->n_scripts != 0) + (in->perf_data != NULL) > 1)
        return "give samples of one kind only: --pa, --perf-script or -p";
    if (!in->n_pa && args->values[OPT_PA].place)
        return "--pa needs a file: --pa=FILE, or -p FILE as for perf2bolt";
    if (!in->n_pa && !in->n_scripts && !in->perf_data)
        return "samples are required: --pa=FILE, --perf-script=FILE or -p FILE";
    if (in->build_ids && !in->n_scripts)
        return "--build-ids needs --perf-script";
    if (in->n_pa && (args->values[OPT_PID].place || args->values[OPT_MAX_SAMPLES].place ||
                     args->values[OPT_IGNORE_BUILD_ID].place || args->values[OPT_IGNORE_INTERRUPT_LBR].place))
        return "--pid, --max-samples, --ignore-build-id and --ignore-interrupt-lbr need --perf-script or -p";
    return NULL;
}

/* fdata goes to standard output unless another output is given. */
static void parse_places(struct place places[WRITTEN_N], const struct arguments *args)
{
    const char *yaml = option_text(args, OPT_WRITE_YAML, NULL);
    places[WRITTEN_FDATA] = (struct place){"profile", option_text(args, OPT_OUTPUT, yaml ? NULL : "-"), true};
    places[WRITTEN_YAML] = (struct place){"profile in YAML", yaml, true};
    places[WRITTEN_REPORT] = (struct place){"report", option_text(args, OPT_REPORT, NULL), false};
}

/* Whether output number i would be written to the place of one before it. True: reported. */
static bool is_shared(const struct convert_request *r, int i)
{
    for (int k = 0; k < i; k++)
        if (place_is_shared(r->base.session, &r->places[i], &r->places[k]))
            return true;
    return false;
}

/* Whether an output would replace an input or another output. True: reported. */
static bool would_replace(const struct convert_request *r)
{
    const struct session *session = r->base.session;
    for (int i = 0; i < WRITTEN_N; i++) {
        const struct place *place = &r->places[i];
        if (place->path && (place_is_input(session, place, &r->program, 1) ||
                            place_is_input(session, place, r->samples, r->n_samples) ||
                            (r->build_ids.path && place_is_input(session, place, &r->build_ids, 1)) ||
                            place_is_original(session, place) || is_shared(r, i)))
            return true;
    }
    return false;
}

/* 0, or an exit code after a report. r->samples is for free() either way. */
static int parse_request(struct convert_request *r, const struct session *session,
                         const struct arguments *args)
{
    const struct named in = find_named(args);
    const char *wrong = find_wrong(args, &in);
    const char *const *samples = in.perf_data ? &in.perf_data : in.n_pa ? in.pa : in.scripts;
    if (wrong)
        return report_wrong(session, args, wrong);
    r->base = request_of(session, args);
    r->program = apf_input_file(in.program);
    r->n_samples = in.perf_data ? 1 : in.n_pa ? in.n_pa : in.n_scripts;
    r->samples = checked_realloc(NULL, r->n_samples, sizeof *r->samples);
    for (size_t i = 0; i < r->n_samples; i++)
        r->samples[i] = apf_input_file(samples[i]);
    r->build_ids = apf_input_file(in.build_ids);
    parse_places(r->places, args);
    r->flags = (option_flag(args, OPT_BASIC_EVENTS) ? APF_BOLT_CONVERT_BASIC : 0) |
               (in.perf_data ? APF_BOLT_CONVERT_PERF_DATA
                : in.n_pa    ? 0
                             : APF_BOLT_CONVERT_PERF_SCRIPT) |
               (option_flag(args, OPT_IGNORE_BUILD_ID) ? APF_BOLT_CONVERT_IGNORE_BUILD_ID : 0) |
               (option_number(args, OPT_IGNORE_INTERRUPT_LBR, 1) ? 0 : APF_BOLT_CONVERT_KEEP_KERNEL);
    r->pid = (uint32_t)option_number(args, OPT_PID, 0);
    r->max_samples = option_number(args, OPT_MAX_SAMPLES, 0);
    r->limits_losses = args->values[OPT_MAX_LOST].place != 0;
    r->max_lost = option_number(args, OPT_MAX_LOST, 0);
    return would_replace(r) ? EXIT_DATA : 0;
}

/* ---- the conversion ---- */

struct results {
    struct apf_fdata *fdata;
    struct apf_bolt_yaml *yaml;
    bool lacks_yaml; /* it cannot be made of this program, which is reported; fdata can */
    struct apf_bolt_funnel funnel;
};

static int write_one(struct results *results, int what, const struct apf_output *output,
                     struct apf_error *error)
{
    switch (what) {
    case WRITTEN_FDATA:
        return apf_fdata_write(results->fdata, output, error);
    case WRITTEN_YAML:
        return apf_bolt_yaml_write(results->yaml, output, error);
    default:
        return apf_bolt_funnel_write(&results->funnel, output, error);
    }
}

/* Compares the places again: a link among them may lead to a file that did not exist before. */
static int write_all(struct results *results, const struct convert_request *r)
{
    for (int i = 0; i < WRITTEN_N; i++) {
        struct apf_output output = apf_output_file(r->places[i].path);
        struct apf_error error;
        if (!output.path || (i == WRITTEN_YAML && results->lacks_yaml))
            continue;
        if (is_shared(r, i))
            return EXIT_DATA;
        if (write_one(results, i, &output, &error) != APF_OK) {
            report_failure(r->base.session, output.path, &error);
            return EXIT_DATA;
        }
    }
    return 0;
}

/* Says what to do with samples that were given as if they were of another kind. */
static void advise_kind(const struct convert_request *r, const char *path)
{
    const struct session *session = r->base.session;
    struct apf_file_info info = {.size = sizeof info};
    struct apf_input input;
    if (!detect_again(session, path, &input, &info))
        return;
    if (info.kind == APF_KIND_PERF_DATA && !(r->flags & APF_BOLT_CONVERT_PERF_DATA))
        report_note(session, "%s is a perf.data file: give it as -p %s", path, path);
    else if (info.kind == APF_KIND_PERF_SCRIPT && !(r->flags & APF_BOLT_CONVERT_PERF_SCRIPT))
        report_note(session, "%s is the output of perf script: give it as --perf-script=%s", path, path);
    else if (info.kind == APF_KIND_BOLT_SAMPLES && r->flags & APF_BOLT_CONVERT_PERF_DATA)
        report_note(session, "%s is a file of pre-aggregated samples: give it as --pa=%s", path, path);
    else if (info.kind == APF_KIND_INSTR_TEXT && r->flags & APF_BOLT_CONVERT_PERF_DATA)
        report_note(session,
                    "%s is text: give pre-aggregated samples as --pa=%s, the output of perf script as "
                    "--perf-script=%s",
                    path, path, path);
}

static void report_input(const struct convert_request *r, const struct apf_error *error)
{
    const struct apf_input *input = &r->program;
    if (error->input < r->n_samples)
        input = &r->samples[error->input];
    else if (error->input > r->n_samples && r->build_ids.path)
        input = &r->build_ids;
    report_failure(r->base.session, input->path, error);
    if (error->code == APF_NOT_RECORDED && strcmp(error->where, "perf.build_id") == 0)
        report_note(r->base.session, "--ignore-build-id accepts the recording nevertheless");
    if (error->code == APF_BAD_SAMPLES || error->code == APF_BAD_RECORDING)
        advise_kind(r, input->path);
}

static int convert_files(struct results *results, const struct convert_request *r, struct apf_error *error)
{
    struct apf_bolt_convert_options options = {.size = sizeof options};
    options.options = &r->base.limits;
    options.flags = r->flags;
    options.pid = r->pid;
    options.max_samples = r->max_samples;
    options.build_ids = r->build_ids.path ? &r->build_ids : NULL;
    options.skip = r->skip->n ? skip_patterns_match : NULL;
    options.skip_user = r->skip;
    int code =
        r->places[WRITTEN_FDATA].path ? apf_fdata_new(&results->fdata, options.options, error) : APF_OK;
    if (code == APF_OK && r->places[WRITTEN_YAML].path)
        code = apf_bolt_yaml_new(&results->yaml, options.options, error);
    if (code == APF_OK)
        code = apf_bolt_convert(results->fdata, results->yaml, &r->program, r->samples, r->n_samples,
                                &options, &results->funnel, error);
    if (code == APF_UNSUPPORTED && results->fdata && results->yaml &&
        strcmp(error->where, "bolt.yaml") == 0) {
        /* That is known before samples are read. */
        report_input(r, error);
        results->lacks_yaml = true;
        code = apf_bolt_convert(results->fdata, NULL, &r->program, r->samples, r->n_samples, &options,
                                &results->funnel, error);
    }
    return code;
}

static int convert_request(const struct convert_request *r)
{
    const struct session *session = r->base.session;
    struct results results = {.funnel = {.size = sizeof results.funnel}};
    struct apf_error error;
    int code = convert_files(&results, r, &error), result = EXIT_DATA;
    if (code != APF_OK)
        report_input(r, &error);
    else
        result = write_all(&results, r);
    if (result == 0 && !r->base.quiet) {
        funnel_print(&results.funnel);
        funnel_warn(session, r->program.path, &results.funnel);
        skip_patterns_warn(r->skip, session);
    }
    if (result == 0 && r->limits_losses &&
        funnel_is_above(session, r->program.path, &results.funnel, r->max_lost))
        result = EXIT_ABOVE;
    if (result == 0 && results.lacks_yaml) {
        report_note(session, "only the fdata is written: %s", r->places[WRITTEN_FDATA].path);
        result = EXIT_DATA;
    }
    apf_bolt_yaml_free(results.yaml);
    apf_fdata_free(results.fdata);
    return result;
}

int cmd_bolt_convert(const struct session *session, const struct arguments *args)
{
    struct skip_patterns skip = {0};
    struct convert_request r = {.skip = &skip};
    int code = parse_request(&r, session, args);
    if (code == 0)
        code = skip_patterns_parse(&skip, session, args->values[OPT_SKIP_FUNCS].list,
                                   args->values[OPT_SKIP_FUNCS].n_list);
    if (code == 0)
        code = convert_request(&r);
    free(r.samples);
    skip_patterns_free(&skip);
    return code;
}
