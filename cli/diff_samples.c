/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* anyprof diff, of sample profiles */
#include <string.h>

#include <anyprof/sample_views.h>

#include "command.h"
#include "diff_limit.h"
#include "report_output.h"
#include "sample_file.h"
#include "shown_names.h"

#define DEFAULT_TOPN 20u /* functions that are listed */

static int compare_pair(const struct request *request, struct apf_sample *const pair[2],
                        const struct apf_sample_diff_options *options, const struct diff_limit *limit,
                        const struct report_format *format, struct shown_names *names)
{
    const struct session *session = request->session;
    struct apf_output output = shown_names_output(names, request->output);
    struct apf_sample_diff *diff = NULL;
    struct apf_error error;
    int code = apf_sample_diff_new(&diff, pair[0], pair[1], options, &error);
    if (code == APF_OK && !format->markdown)
        code = apf_sample_diff_print(diff, &output, &error);
    code = exit_code(session, output.path, code, &error);
    if (code == 0 && format->markdown)
        code = report_write_diff(format, request, NULL, diff, options->names, options->max_functions);
    if (code == 0) {
        const struct apf_sample_diff_totals *totals = apf_sample_diff_totals(diff);
        bool nothing = totals->functions[0] + totals->functions[1] == 0;
        const char *missing = options->function.n ? "one of this name" : "any";
        if (!totals->lines_compared)
            report_warning(session, NULL,
                           "only one of the profiles has pseudo probes, so that lines cannot be compared");
        code = diff_limit_judge(session, limit, "samples", totals->difference, nothing ? missing : NULL);
    }
    apf_sample_diff_free(diff);
    return code;
}

int diff_samples(const struct session *session, const struct arguments *args)
{
    struct request request = request_of(session, args);
    struct diff_limit limit = diff_limit_of(args);
    const struct report_format format = report_format_of(args);
    struct apf_options common;
    struct apf_sample_read_options read = sample_read_options(&request, args, &common);
    struct apf_sample_diff_options o = {.size = sizeof o};
    struct apf_sample *pair[2] = {NULL, NULL};
    struct shown_names names;
    int code = EXIT_DATA;
    o.flags = (option_flag(args, OPT_ABSOLUTE) ? APF_SAMPLE_DIFF_ABSOLUTE : 0) |
              (option_flag(args, OPT_EXACT_NAMES) ? APF_SAMPLE_DIFF_EXACT_NAMES : 0) |
              (request.json ? APF_SAMPLE_DIFF_JSON : 0);
    o.function.p = option_text(args, OPT_FUNCTION, "");
    o.function.n = strlen(o.function.p);
    o.max_functions = option_number(args, OPT_TOPN, request.json ? 0 : DEFAULT_TOPN);
    shown_names_begin(&names, session, args);
    o.also = shown_names_part(&names);
    o.user = &names;
    o.names[0] = args->files[0];
    o.names[1] = args->files[1];
    if (format.markdown && request.json)
        return report_wrong(session, args, "--json and --markdown are two formats");
    options_warn(session, args, OPTION_INSTR);
    for (unsigned i = 0; i < 2 && (i == 0 || pair[0]); i++)
        pair[i] = sample_file_open(session, args->files[i], &read);
    if (pair[0] && pair[1])
        code = compare_pair(&request, pair, &o, &limit, &format, &names);
    apf_sample_close(pair[0]);
    apf_sample_close(pair[1]);
    shown_names_free(&names);
    return code;
}
