/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* anyprof show, of sample profiles */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <anyprof/sample_views.h>

#include "command.h"
#include "nearest_function.h"
#include "places.h"
#include "sample_file.h"
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

/* Moves *text after n bytes, if it begins with these. */
static bool skip_bytes(struct apf_str *text, const char *p, size_t n)
{
    if (text->n < n || memcmp(text->p, p, n) != 0)
        return false;
    text->p += n;
    text->n -= n;
    return true;
}

/* Whether the context of a function is a text without brackets, "main:1 @ foo". */
static bool has_context(const struct apf_sample_functions *functions, uint64_t function, struct apf_str text)
{
    struct apf_sample_frame frame;
    struct apf_sample_place call = {0, 0};
    char place[48];
    for (uint64_t i = 0; apf_sample_frame(functions, function, i, &frame) == APF_OK; i++) {
        int n = !i                   ? 0
                : call.discriminator ? snprintf(place, sizeof place, ":%" PRIu32 ".%" PRIu32 " @ ", call.line,
                                                call.discriminator)
                                     : snprintf(place, sizeof place, ":%" PRIu32 " @ ", call.line);
        const struct apf_str name = frame.name.text;
        if (!skip_bytes(&text, place, (size_t)n) || !name.p || !skip_bytes(&text, name.p, name.n))
            return false;
        call = frame.call;
    }
    return text.n == 0;
}

/* Whether the profile has a function with this name, context or hash. */
static bool has_function(const struct apf_sample_functions *functions, struct apf_str name)
{
    const struct apf_str context = sample_context_of(name);
    const struct apf_sample_name text = {name, 0}, hash = {{NULL, 0}, strtoull(name.p, NULL, 10)};
    const struct apf_sample_name last = {sample_function_of(name), 0};
    bool found = apf_sample_function_find(functions, text, 0) != UINT64_MAX ||
                 (hash.hash && apf_sample_function_find(functions, hash, 0) != UINT64_MAX);
    uint64_t function = 0;
    for (uint64_t i = 0; !found && function != UINT64_MAX; i++) {
        function = apf_sample_function_find(functions, last, i);
        found = function != UINT64_MAX && has_context(functions, function, context);
    }
    return found;
}

/* Warns if the profile has no function with the name that --function gives, for which LLVM's tool prints a function
 * without a name. */
static void check_name(const struct session *session, const char *path, const struct apf_sample *sample,
                       struct apf_str name)
{
    struct apf_sample_functions *functions;
    if (!name.n || apf_sample_functions_new(&functions, sample, NULL) != APF_OK)
        return;
    bool found = has_function(functions, name);
    apf_sample_functions_free(functions);
    if (found)
        return;
    report_warning(session, path, "no function has the name that --function gives");
    nearest_sample_report(session, path, sample, name);
}

int show_samples(const struct session *session, const struct arguments *args)
{
    struct request request = request_of(session, args);
    struct apf_output output = apf_output_file(request.output);
    struct apf_options common;
    struct apf_error error;
    const char *path = args->files[0], *wrong = find_wrong(args);
    if (wrong) {
        report_error(session, NULL, "%s", wrong);
        return session->persona->usage_exit;
    }
    if (option_flag(args, OPT_ALL_FUNCTIONS) && *option_text(args, OPT_FUNCTION, ""))
        report_warning(session, NULL, "-function argument ignored: showing all functions");
    if (!session->persona->tool) {
        options_warn(session, args, OPTION_INSTR);
        if (args->values[OPT_TOPN].place && !option_flag(args, OPT_HOT_FUNC_LIST))
            report_warning(session, NULL, "--topn has no effect on sample profiles without --hot-func-list");
    }
    if (option_flag(args, OPT_SECTIONS))
        return show_sections(&request, path);
    struct apf_sample_read_options options = sample_read_options(&request, args, &common);
    struct apf_sample *sample = sample_file_open(session, path, &options);
    if (!sample)
        return EXIT_DATA;
    struct apf_sample_print_options print = options_of(args);
    bool gcov = option_number(args, OPT_SHOW_FORMAT, SHOW_TEXT) == SHOW_GCOV;
    int code = gcov ? apf_sample_print_gcov(sample, &output, &error)
                    : apf_sample_print(sample, &print, &output, &error);
    if (code == APF_OK && !session->persona->tool)
        check_name(session, path, sample, print.function);
    apf_sample_close(sample);
    return exit_code(session, output.path, code, &error);
}
