/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* anyprof probes lookup */
#include <stdlib.h>

#include "command.h"
#include "memory.h"
#include "probes.h"

static int look_up(const struct probes_source *source, struct probes_request *r, const uint64_t *addresses,
                   size_t n)
{
    struct apf_probe_lookup_options options = {.size = sizeof options};
    struct apf_output output = shown_names_output(&r->names, r->base.output);
    struct apf_options common = r->base.limits;
    struct apf_error error;
    uint64_t n_unknown = 0;
    options.options = &common;
    options.name = r->path;
    options.addresses = addresses;
    options.n_addresses = n;
    options.flags = r->base.json ? APF_PROBES_PRINT_JSON : 0;
    int code = apf_probes_lookup(source->probes, &options, &output, &n_unknown, &error);
    code = exit_code_of_call(r->base.session, r->path, output.path, code, &error);
    return code == 0 && n_unknown ? EXIT_DATA : code;
}

/* Reads the addresses. 0, or an exit code after a report. */
static int parse_addresses(const struct session *session, const struct arguments *args, uint64_t *addresses)
{
    for (size_t i = 1; i < args->n_files; i++)
        if (!probes_parse_address(args->files[i], &addresses[i - 1])) {
            report_usage(session, "'%s' is not an address, such as 0x1000", args->files[i]);
            return session->persona->usage_exit;
        }
    return 0;
}

int cmd_probes_lookup(const struct session *session, const struct arguments *args)
{
    struct probes_request r = {0};
    struct probes_source source = {.any_program = true};
    if (args->n_files < 2)
        return report_wrong(session, args, "a PROGRAM and an ADDRESS are required");
    int code = probes_parse(&r, session, args);
    uint64_t *addresses = checked_realloc(NULL, args->n_files, sizeof *addresses);
    if (code == 0)
        code = parse_addresses(session, args, addresses);
    if (code == 0)
        code = probes_open(&source, &r, r.path);
    if (code == 0)
        code = look_up(&source, &r, addresses, args->n_files - 1);
    apf_probes_close(source.probes);
    probes_request_free(&r);
    free(addresses);
    return code;
}
