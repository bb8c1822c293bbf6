/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* anyprof probes emit */
#include <inttypes.h>
#include <stdlib.h>

#include "command.h"
#include "memory.h"
#include "places.h"
#include "probes.h"

struct emit_request {
    struct request base;
    const char *const *paths;
    size_t n_paths;
    uint32_t flags; /* APF_PROBE_EMIT_* */
};

/* 0, or an exit code after a report. */
static int parse_request(struct emit_request *r, const struct session *session, const struct arguments *args)
{
    if (!args->n_files)
        return report_wrong(session, args, "a FILE is required");
    if (!option_text(args, OPT_OUTPUT, NULL))
        return report_wrong(session, args, "-o OUT.o is required");
    r->base = request_of(session, args);
    r->paths = args->files;
    r->n_paths = args->n_files;
    r->flags = option_flag(args, OPT_NO_CODE_GROUPS) ? APF_PROBE_EMIT_NO_CODE_GROUPS : 0;
    if (stdin_is_repeated(session, args, args->n_files))
        return session->persona->usage_exit;
    return place_is_read(session, args, args->n_files) ? session->persona->usage_exit : 0;
}

static int emit(const struct emit_request *r)
{
    struct apf_output output = apf_output_file(r->base.output);
    struct apf_probe_emit_options options = {.size = sizeof options, .flags = r->flags};
    struct apf_probe_emit_info info = {.size = sizeof info};
    struct apf_error error;
    struct apf_input *inputs = (struct apf_input *)checked_realloc(NULL, r->n_paths, sizeof *inputs);
    for (size_t i = 0; i < r->n_paths; i++)
        inputs[i] = apf_input_file(r->paths[i]);
    options.options = &r->base.limits;
    int code = apf_probes_emit(inputs, r->n_paths, &options, &output, &info, &error);
    free(inputs);
    if (code != APF_OK)
        return exit_code_of_call(r->base.session, error.input < r->n_paths ? r->paths[error.input] : NULL,
                                 output.path, code, &error);
    if (info.n_in_code_groups && !r->base.quiet)
        report_note(r->base.session,
                    "sections in COMDAT groups of code: %" PRIu64 " of %" PRIu64
                    "; linked with that code, these probes or the code are dropped (see --no-code-groups)",
                    info.n_in_code_groups, info.n_sections);
    return 0;
}

int cmd_probes_emit(const struct session *session, const struct arguments *args)
{
    struct emit_request r = {0};
    int code = parse_request(&r, session, args);
    return code ? code : emit(&r);
}
