/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* anyprof check */
#include <stdlib.h>
#include <string.h>

#include <anyprof/jobs.h>

#include "command.h"
#include "file_list.h"
#include "memory.h"
#include "places.h"
#include "progress.h"

struct check_request {
    struct request base;
    struct file_list files;
    const struct option_value *against; /* programs, of the arguments */
    uint32_t flags;                     /* APF_CHECK_* */
};

static int parse_request(struct check_request *r, const struct session *session, const struct arguments *args)
{
    r->base = request_of(session, args);
    r->against = &args->values[OPT_AGAINST];
    r->flags =
        (r->base.json ? APF_CHECK_JSON : 0) | (option_flag(args, OPT_ALL_FINDINGS) ? APF_CHECK_ALL : 0);
    return file_list_parse(&r->files, session, args);
}

/* 0, or an exit code after a report. */
static int open_programs(struct apf_check_programs **programs, const struct check_request *r)
{
    size_t n = r->against->n_list;
    struct apf_error error = {0};
    if (n == 0)
        return 0;
    struct apf_input *inputs = (struct apf_input *)checked_realloc(NULL, n, sizeof *inputs);
    for (size_t i = 0; i < n; i++)
        inputs[i] = apf_input_file(r->against->list[i]);
    int code = apf_check_programs_open(programs, inputs, n, &r->base.limits, &error);
    free(inputs);
    return exit_code(r->base.session, error.input < n ? r->against->list[error.input] : NULL, code, &error);
}

/* Findings are printed while the files are read, so that on a terminal they alternate with the progress line. */
static struct apf_output output_of(const struct request *request)
{
    struct apf_output output = apf_output_file(request->output);
    if (strcmp(output.path, "-") == 0 && place_is_terminal(output.path)) {
        output.path = NULL;
        output.write = progress_write;
        output.user = request->session->progress;
    }
    return output;
}

static int check_files(const struct check_request *r, const struct apf_check_programs *programs)
{
    struct apf_output output = output_of(&r->base);
    struct apf_options options = r->base.limits;
    struct apf_check_verdict verdict = {.size = sizeof verdict};
    struct apf_error error;
    progress_begin(&r->base, &options);
    int code =
        apf_check_print(r->files.data, r->files.n, programs, &options, r->flags, &output, &verdict, &error);
    code = exit_code_of_call(r->base.session, NULL, output.path, code, &error);
    progress_end(r->base.session);
    return code == 0 && verdict.n_bad_files ? EXIT_DATA : code;
}

int cmd_check(const struct session *session, const struct arguments *args)
{
    struct check_request r = {0};
    struct apf_check_programs *programs = NULL;
    int code = parse_request(&r, session, args);
    if (code == 0)
        code = open_programs(&programs, &r);
    if (code == 0)
        code = check_files(&r, programs);
    apf_check_programs_close(programs);
    file_list_free(&r.files);
    return code;
}
