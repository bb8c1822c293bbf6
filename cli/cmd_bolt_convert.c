/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* anyprof bolt convert */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include <anyprof/bolt.h>

#include "merge_places.h"
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

static void print_funnel(const struct apf_bolt_funnel *f)
{
    fprintf(stderr, "%14" PRIu64 "           records read\n", f->records);
    row(f->branches, f->branches, "branches seen");
    row(f->branches_mapped, f->branches, "    in the profile");
    row(f->returns, f->branches, "    returns, which profiles do not hold");
    row(f->branches_outside, f->branches, "    outside of the program's functions");
    row(f->falls, f->falls, "runs from a branch to the next one");
    row(f->falls_mapped, f->falls, "    in the profile");
    row(f->falls_by_code, f->falls, "        in functions without a table, by their code");
    row(f->falls_outside, f->falls, "    not in the program's functions");
    row(f->falls_torn, f->falls, "    from one function to another one, or over code that ends between");
    row(f->falls_unresolved, f->falls, "    over an indirect jump to nobody knows where: lost");
    row(f->falls_without_table, f->falls,
        "    in functions without a table, of code that cannot be followed: lost");
    row(f->basic, f->basic, "samples of instructions");
    row(f->basic_mapped, f->basic, "    in the profile");
    row(f->basic_outside, f->basic, "    outside of the program's functions");
    row(f->other_mode, f->other_mode, "of the other kind, not asked for");
    if (f->jumps_unresolved)
        fprintf(stderr, "%14" PRIu64 "           indirect jumps in that code to nobody knows where\n",
                f->jumps_unresolved);
    fprintf(stderr, "%14" PRIu64 "           different places in the profile\n", f->edges);
    row(f->functions, f->functions, "functions");
    row(f->functions_left_out, f->functions,
        "    not in the YAML: BOLT left them alone, their hashes are not known");
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
static bool would_replace(const struct apf_input *program, const struct apf_input *samples, size_t n,
                          const struct session *session, const struct place *places)
{
    for (int i = 0; i < WRITTEN_N; i++)
        if (places[i].path && (place_is_input(session, places[i].what, places[i].path, program, 1) ||
                               place_is_input(session, places[i].what, places[i].path, samples, n) ||
                               is_taken(session, places, i)))
            return true;
    return false;
}

/* ---- the command ---- */

struct conversion {
    struct apf_fdata *fdata;
    struct apf_bolt_yaml *yaml;
    struct apf_bolt_funnel funnel;
};

static int write_one(struct conversion *c, int what, const struct apf_output *output, struct apf_error *error)
{
    switch (what) {
    case WRITTEN_FDATA:
        return apf_fdata_write(c->fdata, output, error);
    case WRITTEN_YAML:
        return apf_bolt_yaml_write(c->yaml, output, error);
    default:
        return apf_bolt_funnel_write(&c->funnel, output, error);
    }
}

/* A link may lead to a file only when that was written: what is there is asked for again. */
static int write_all(struct conversion *c, const struct session *session, const struct place *places)
{
    for (int i = 0; i < WRITTEN_N; i++) {
        struct apf_output output = {places[i].path, NULL, NULL, 0};
        struct apf_error error;
        if (!output.path)
            continue;
        if (is_taken(session, places, i))
            return EXIT_DATA;
        if (write_one(c, i, &output, &error) != APF_OK) {
            report_failure(session, output.path, &error);
            return EXIT_DATA;
        }
    }
    return 0;
}

static int convert(const struct apf_input *program, const struct apf_input *samples, size_t n,
                   const struct session *session, const struct arguments *args, const struct place *places)
{
    struct apf_bolt_convert_options options = {.size = sizeof options};
    struct conversion c = {.funnel = {.size = sizeof c.funnel}};
    struct apf_error error;
    options.options.size = sizeof options.options;
    options.options.max_bytes = option_number(args, OPT_MAX_INPUT_SIZE, 0);
    options.flags = option_flag(args, OPT_BASIC_EVENTS) ? APF_BOLT_BASIC : 0;
    int code = places[WRITTEN_FDATA].path ? apf_fdata_new(&c.fdata, &options.options, &error) : APF_OK;
    if (code == APF_OK && places[WRITTEN_YAML].path)
        code = apf_bolt_yaml_new(&c.yaml, &options.options, &error);
    if (code == APF_OK)
        code = apf_bolt_convert(program, samples, n, &options, c.fdata, c.yaml, &c.funnel, &error);
    if (code != APF_OK)
        report_failure(session, error.input < n ? samples[error.input].path : program->path, &error);
    code = code == APF_OK ? write_all(&c, session, places) : EXIT_DATA;
    if (code == 0 && !option_flag(args, OPT_QUIET))
        print_funnel(&c.funnel);
    if (code == 0 && c.funnel.edges == 0)
        report_warning(session, program->path, "no sample is in the program: the profile is empty");
    apf_bolt_yaml_free(c.yaml);
    apf_fdata_free(c.fdata);
    return code;
}

int cmd_bolt_convert(const struct session *session, const struct arguments *args)
{
    const struct option_value *given = &args->values[OPT_PA];
    struct place places[WRITTEN_N];
    if (!args->n_files)
        return usage(session, args, "a PROGRAM is required");
    if (!given->n_list)
        return usage(session, args, "samples are required: --pa=FILE");
    struct apf_input program = {args->files[0], NULL, 0, NULL, 0};
    struct apf_input *samples = checked_realloc(NULL, given->n_list, sizeof *samples);
    for (size_t i = 0; i < given->n_list; i++)
        samples[i] = (struct apf_input){given->list[i], NULL, 0, NULL, 0};
    int code = EXIT_DATA;
    find_places(places, args);
    if (!would_replace(&program, samples, given->n_list, session, places))
        code = convert(&program, samples, given->n_list, session, args, places);
    free(samples);
    return code;
}
