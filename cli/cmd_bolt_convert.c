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
    if (funnel->edges == 0)
        report_warning(session, args->files[0], "no sample is in the program: the profile is empty");
    return write_report(session, args, funnel);
}

static int convert(const struct apf_input *samples, size_t n, const struct session *session,
                   const struct arguments *args)
{
    struct apf_bolt_convert_options options = {.size = sizeof options};
    struct apf_input program = {args->files[0], NULL, 0, NULL, 0};
    struct apf_bolt_funnel funnel = {.size = sizeof funnel};
    struct apf_fdata *fdata;
    struct apf_error error;
    options.options.size = sizeof options.options;
    options.options.max_bytes = option_number(args, OPT_MAX_INPUT_SIZE, 0);
    options.flags = option_flag(args, OPT_BASIC_EVENTS) ? APF_BOLT_BASIC : 0;
    int code = apf_fdata_new(&fdata, &options.options, &error);
    if (code == APF_OK)
        code = apf_bolt_convert(&program, samples, n, &options, fdata, &funnel, &error);
    if (code == APF_OK) {
        code = write_profile(fdata, session, args, &funnel);
    } else {
        report_failure(session, error.input < n ? samples[error.input].path : program.path, &error);
        code = EXIT_DATA;
    }
    apf_fdata_free(fdata);
    return code;
}

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

int cmd_bolt_convert(const struct session *session, const struct arguments *args)
{
    const struct option_value *given = &args->values[OPT_PA];
    if (!args->n_files)
        return usage(session, args, "a PROGRAM is required");
    if (!given->n_list)
        return usage(session, args, "samples are required: --pa=FILE");
    struct apf_input *samples = checked_realloc(NULL, given->n_list, sizeof *samples);
    for (size_t i = 0; i < given->n_list; i++)
        samples[i] = (struct apf_input){given->list[i], NULL, 0, NULL, 0};
    int code = EXIT_DATA;
    if (!would_replace_input(samples, given->n_list, session, args))
        code = convert(samples, given->n_list, session, args);
    free(samples);
    return code;
}
