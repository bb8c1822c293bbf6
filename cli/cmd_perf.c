/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* anyprof perf info */
#include <anyprof/perf.h>

#include "command.h"
#include "detect_again.h"
#include "places.h"

static int print_info(struct apf_perf *perf, const struct request *r, struct apf_error *error)
{
    struct apf_output output = apf_output_file(r->output);
    return r->json ? apf_perf_info_write(perf, &output, error) : apf_perf_info_print(perf, &output, error);
}

/* Says what can be done with the text that perf makes of recordings. */
static void advise(const struct session *session, const char *path)
{
    struct apf_file_info info = {.size = sizeof info};
    struct apf_input input;
    if (detect_again(session, path, &input, &info) && info.kind == APF_KIND_PERF_SCRIPT)
        report_note(session, "it is the output of perf script, which 'anyprof info' describes");
}

int cmd_perf_info(const struct session *session, const struct arguments *args)
{
    const struct request r = request_of(session, args);
    struct apf_error error;
    struct apf_perf *perf;
    if (!args->n_files)
        return report_wrong(session, args, "a FILE is required");
    if (place_is_read(session, args, 1))
        return session->persona->usage_exit;
    struct apf_input input = apf_input_file(args->files[0]);
    int code = apf_perf_open(&perf, &input, &r.limits, &error);
    if (code == APF_OK)
        code = apf_perf_read(perf, NULL, NULL, &error);
    if (code == APF_OK)
        code = print_info(perf, &r, &error);
    apf_perf_close(perf);
    int result = exit_code_of_call(session, input.path, r.output, code, &error);
    if (code == APF_BAD_RECORDING)
        advise(session, input.path);
    return result;
}
