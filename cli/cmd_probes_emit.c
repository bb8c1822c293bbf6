/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* anyprof probes emit */
#include <stdlib.h>
#include <string.h>

#include "probes.h"

static int emit(const struct session *session, const struct arguments *args, const char *to)
{
    struct apf_output output = {to, NULL, NULL, 0};
    struct apf_options options = {0};
    struct apf_error error;
    struct apf_input *inputs = (struct apf_input *)checked_realloc(NULL, args->n_files, sizeof *inputs);
    for (size_t i = 0; i < args->n_files; i++) {
        struct apf_input input = {args->files[i], NULL, 0, NULL, 0};
        inputs[i] = input;
    }
    options.size = sizeof options;
    options.max_bytes = option_number(args, OPT_MAX_INPUT_SIZE, 0);
    int code = apf_probes_emit(inputs, args->n_files, &output, &options, &error);
    if (code != APF_OK)
        report_failure(session, strncmp(error.where, "output", 6) == 0 ? to : args->files[error.input],
                       &error);
    free(inputs);
    return code == APF_OK ? 0 : EXIT_DATA;
}

int cmd_probes_emit(const struct session *session, const struct arguments *args)
{
    const char *to = option_text(args, OPT_OUTPUT, NULL);
    const char *wrong = !args->n_files ? "a FILE is required" : !to ? "-o OUT.o is required" : NULL;
    if (!wrong)
        return emit(session, args, to);
    return probes_usage(session, args, wrong);
}
