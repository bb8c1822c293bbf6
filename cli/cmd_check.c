/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* anyprof check */
#include <stdlib.h>
#include <string.h>

#include <anyprof/jobs.h>

#include "file_list.h"
#include "limits.h"
#include "places.h"
#include "progress.h"

/* 0, or an exit code: reported. */
static int open_programs(struct apf_check_programs **programs, const struct session *session,
                         const struct arguments *args, const struct apf_options *options)
{
    const struct option_value *given = &args->values[OPT_AGAINST];
    struct apf_error error = {0};
    if (given->n_list == 0)
        return 0;
    struct apf_input *inputs = (struct apf_input *)checked_realloc(NULL, given->n_list, sizeof *inputs);
    for (size_t i = 0; i < given->n_list; i++) {
        const struct apf_input input = {given->list[i], NULL, 0, NULL, 0};
        inputs[i] = input;
    }
    int code = apf_check_programs_open(programs, inputs, given->n_list, options, &error);
    if (code != APF_OK)
        report_failure(session, error.input < given->n_list ? given->list[error.input] : NULL, &error);
    free(inputs);
    return code == APF_OK ? 0 : EXIT_DATA;
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
    struct apf_check_programs *programs = NULL;
    struct apf_check_verdict verdict = {0};
    struct file_list list = {0};
    struct apf_error error;
    uint32_t flags = (option_flag(args, OPT_JSON) ? APF_CHECK_JSON : 0) |
                     (option_flag(args, OPT_ALL_FINDINGS) ? APF_CHECK_ALL : 0);
    int code = file_list_take(&list, session, args);
    if (!code)
        code = open_programs(&programs, session, args, &options);
    options.progress = progress_take;
    options.progress_user = session->progress;
    progress_begin(session, args);
    if (!code &&
        apf_check_print(list.data, list.n, programs, &options, flags, &output, &verdict, &error) != APF_OK) {
        report_failed_call(session, NULL, output.path, &error);
        code = EXIT_DATA;
    }
    progress_end(session);
    if (!code && verdict.n_bad_files)
        code = EXIT_DATA;
    apf_check_programs_close(programs);
    file_list_free(&list);
    return code;
}
