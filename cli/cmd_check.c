/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* anyprof check */
#include <string.h>

#include <anyprof/correlate.h>
#include <anyprof/jobs.h>

#include "file_list.h"
#include "limits.h"
#include "places.h"
#include "progress.h"

/* 0, or an exit code: reported. */
static int open_program(struct apf_binary_functions **program, const struct session *session,
                        const struct arguments *args, const struct apf_options *options)
{
    struct apf_input input = {option_text(args, OPT_AGAINST, NULL), NULL, 0, NULL, 0};
    struct apf_error error;
    if (!input.path)
        return 0;
    if (place_is_read(session, args, 0))
        return EXIT_DATA;
    if (apf_binary_functions_open(program, &input, APF_METADATA_ANY, options, &error) == APF_OK)
        return 0;
    report_failure(session, input.path, &error);
    return EXIT_DATA;
}

/* Findings are printed as they are found: where they share a screen with the progress line, they push it away. */
static struct apf_output output_of(const struct session *session, const struct arguments *args)
{
    struct apf_output output = {option_text(args, OPT_OUTPUT, "-"), NULL, NULL, 0};
    if (strcmp(output.path, "-") == 0 && place_is_terminal(output.path)) {
        output.path = NULL;
        output.write = progress_write;
        output.user = session->progress;
    }
    return output;
}

int cmd_check(const struct session *session, const struct arguments *args)
{
    struct apf_output output = output_of(session, args);
    struct apf_options options = limits_of(args);
    struct apf_binary_functions *program = NULL;
    struct apf_check_verdict verdict = {0};
    struct file_list list = {0};
    struct apf_error error;
    uint32_t flags = (option_flag(args, OPT_JSON) ? APF_CHECK_JSON : 0) |
                     (option_flag(args, OPT_ALL_FINDINGS) ? APF_CHECK_ALL : 0);
    int code = file_list_take(&list, session, args);
    if (!code)
        code = open_program(&program, session, args, &options);
    options.progress = progress_take;
    options.progress_user = session->progress;
    progress_begin(session, args);
    if (!code &&
        apf_check_print(list.data, list.n, program, &options, flags, &output, &verdict, &error) != APF_OK) {
        report_failure(session, error.code == APF_IO ? output.path : NULL, &error);
        code = EXIT_DATA;
    }
    progress_end(session);
    if (!code && verdict.n_bad_files)
        code = EXIT_DATA;
    apf_binary_functions_close(program);
    file_list_free(&list);
    return code;
}
