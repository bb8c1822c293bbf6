/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* anyprof probes emit */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "limits.h"
#include "places.h"
#include "probes.h"

static int emit(const struct session *session, const struct arguments *args, const char *to)
{
    struct apf_output output = {to, NULL, NULL, 0};
    struct apf_probe_emit_options options = {0};
    struct apf_probe_emit_info info = {0};
    struct apf_error error;
    struct apf_input *inputs = (struct apf_input *)checked_realloc(NULL, args->n_files, sizeof *inputs);
    for (size_t i = 0; i < args->n_files; i++) {
        struct apf_input input = {args->files[i], NULL, 0, NULL, 0};
        inputs[i] = input;
    }
    options.size = sizeof options;
    options.options = limits_of(args);
    options.flags = option_flag(args, OPT_NO_CODE_GROUPS) ? APF_PROBE_EMIT_NO_CODE_GROUPS : 0;
    info.size = sizeof info;
    int code = apf_probes_emit(inputs, args->n_files, &output, &options, &info, &error);
    if (code != APF_OK)
        report_failed_call(session, args->files[error.input], to, &error);
    else if (info.n_in_code_groups && !option_flag(args, OPT_QUIET))
        report_note(session,
                    "sections in COMDAT groups of code: %" PRIu64 " of %" PRIu64
                    "; linked with that code, these probes or the code are dropped (see --no-code-groups)",
                    info.n_in_code_groups, info.n_sections);
    free(inputs);
    return code == APF_OK ? 0 : EXIT_DATA;
}

int cmd_probes_emit(const struct session *session, const struct arguments *args)
{
    const char *to = option_text(args, OPT_OUTPUT, NULL);
    const char *wrong = !args->n_files ? "a FILE is required" : !to ? "-o OUT.o is required" : NULL;
    if (wrong)
        return report_wrong(session, args, wrong);
    return place_is_read(session, args, args->n_files) ? session->persona->usage_exit
                                                       : emit(session, args, to);
}
