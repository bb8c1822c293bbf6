/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* anyprof show, of sample profiles */
#include <stdio.h>
#include <string.h>

#include <anyprof/sample_views.h>

#include "command.h"
#include "nearest_function.h"
#include "places.h"
#include "sample_file.h"
#include "shown_names.h"
#include "streams.h"

/* What is wrong with the options; NULL: nothing. */
static const char *find_wrong(const struct arguments *args)
{
    static const enum option_id others[] = {OPT_FUNCTION,        OPT_TOPN,          OPT_DETAILED_SUMMARY,
                                            OPT_SUMMARY_CUTOFFS, OPT_HOT_FUNC_LIST, OPT_SHOW_PROF_SYM_LIST,
                                            OPT_SECTIONS,        OPT_JSON};
    uint64_t format = option_number(args, OPT_SHOW_FORMAT, SHOW_TEXT);
    bool json = format == SHOW_JSON || option_flag(args, OPT_JSON);
    if (format == SHOW_YAML)
        return "YAML output is not supported for sample profiles";
    for (size_t i = 0; i < sizeof others / sizeof *others && format == SHOW_GCOV; i++)
        if (args->values[others[i]].place)
            return "--show-format=gcov prints all functions and nothing else";
    if (json && *option_text(args, OPT_FUNCTION, "") && !option_flag(args, OPT_ALL_FUNCTIONS))
        return "the JSON format is supported only when all functions are to be printed";
    return NULL;
}

static struct apf_sample_print_options options_of(const struct arguments *args)
{
    struct apf_sample_print_options o = {.size = sizeof o};
    bool json = option_number(args, OPT_SHOW_FORMAT, SHOW_TEXT) == SHOW_JSON || option_flag(args, OPT_JSON);
    o.flags = (json ? APF_SAMPLE_PRINT_JSON : 0) |
              (option_flag(args, OPT_SHOW_PROF_SYM_LIST) ? APF_SAMPLE_PRINT_SYMBOLS : 0) |
              (option_flag(args, OPT_DETAILED_SUMMARY) ? APF_SAMPLE_PRINT_DETAILED_SUMMARY : 0) |
              (option_flag(args, OPT_HOT_FUNC_LIST) ? APF_SAMPLE_PRINT_HOT_FUNCTIONS : 0);
    if (!option_flag(args, OPT_ALL_FUNCTIONS)) {
        o.function.p = option_text(args, OPT_FUNCTION, "");
        o.function.n = strlen(o.function.p);
    }
    o.topn = option_number(args, OPT_TOPN, 0);
    o.cutoffs = args->values[OPT_SUMMARY_CUTOFFS].numbers;
    o.n_cutoffs = args->values[OPT_SUMMARY_CUTOFFS].n_numbers;
    return o;
}

static int show_sections(const struct request *request, const char *path)
{
    struct apf_input input = stream_input(request->session, path);
    struct apf_output output = apf_output_file(request->output);
    struct apf_error error;
    int code = apf_sample_print_sections(&input, &request->limits, &output, &error);
    if (code != APF_UNSUPPORTED)
        return exit_code_of_call(request->session, path, output.path, code, &error);
    report_warning(
        request->session, NULL,
        "-show-sec-info-only is only supported for sample profile in extbinary format and is ignored "
        "for other formats.");
    return 0;
}

/* Warns if the profile has no function with the name that --function gives, for which LLVM's tool prints a function
 * without a name. */
static void check_name(const struct session *session, const char *path, const struct apf_sample *sample,
                       struct apf_str name)
{
    int found;
    if (apf_sample_print_finds(sample, name, &found, NULL) != APF_OK || found)
        return;
    report_warning(session, path, "no function has the name that --function gives");
    nearest_sample_report(session, path, sample, name);
}

int show_samples(const struct session *session, const struct arguments *args)
{
    struct request request = request_of(session, args);
    struct shown_names names;
    struct apf_options common;
    struct apf_error error;
    const char *path = args->files[0], *wrong = find_wrong(args);
    if (wrong) {
        report_error(session, NULL, "%s", wrong);
        return session->persona->usage_exit;
    }
    if (option_flag(args, OPT_ALL_FUNCTIONS) && *option_text(args, OPT_FUNCTION, ""))
        report_warning(session, NULL, "-function argument ignored: showing all functions");
    if (!session->persona->tool)
        options_warn(session, args, OPTION_INSTR);
    if (option_flag(args, OPT_SECTIONS))
        return show_sections(&request, path);
    struct apf_sample_read_options options = sample_read_options(&request, args, &common);
    struct apf_sample *sample = sample_file_open(session, path, &options);
    if (!sample)
        return EXIT_DATA;
    struct apf_sample_print_options print = options_of(args);
    shown_names_begin(&names, session, args);
    struct apf_output output = shown_names_output(&names, request.output);
    print.also = shown_names_whole(&names);
    print.user = &names;
    bool gcov = option_number(args, OPT_SHOW_FORMAT, SHOW_TEXT) == SHOW_GCOV;
    int code = gcov ? apf_sample_print_gcov(sample, &output, &error)
                    : apf_sample_print(sample, &print, &output, &error);
    if (code == APF_OK && !session->persona->tool && !names.found)
        check_name(session, path, sample, print.function);
    apf_sample_close(sample);
    shown_names_free(&names);
    return exit_code(session, output.path, code, &error);
}
