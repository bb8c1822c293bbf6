/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* anyprof probes disasm */
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "memory.h"
#include "probes.h"

struct disasm_request {
    struct probes_request probes;
    struct apf_str *names; /* of --disassemble-functions */
    size_t n_names;
    uint32_t flags; /* APF_DISASSEMBLY_* */
};

/* Adds the names of a list with commas. */
static void add_names(struct disasm_request *r, const char *list)
{
    for (;;) {
        size_t n = strcspn(list, ",");
        r->names = checked_realloc(r->names, r->n_names + 1, sizeof *r->names);
        r->names[r->n_names++] = (struct apf_str){list, n};
        if (list[n] == '\0')
            return;
        list += n + 1;
    }
}

/* 0, or an exit code after a report. r->names is for free() either way. */
static int parse_request(struct disasm_request *r, const struct session *session,
                         const struct arguments *args)
{
    const struct option_value *functions = &args->values[OPT_DISASSEMBLE_FUNCTIONS];
    int code = probes_parse(&r->probes, session, args);
    if (code)
        return code;
    for (size_t i = 0; i < functions->n_list; i++)
        add_names(r, functions->list[i]);
    bool intel = option_number(args, OPT_X86_ASM_SYNTAX, SYNTAX_ATT) == SYNTAX_INTEL;
    r->flags = (r->probes.function ? APF_DISASSEMBLY_ONE_FUNCTION : 0) |
               (r->probes.address ? APF_DISASSEMBLY_RANGE : 0) | (intel ? APF_DISASSEMBLY_INTEL : 0) |
               (option_flag(args, OPT_SHOW_SOURCE_LOCATIONS) ? APF_DISASSEMBLY_LOCATIONS : 0) |
               (option_flag(args, OPT_SHOW_CANONICAL_FNAME) ? APF_DISASSEMBLY_CANONICAL : 0) |
               (option_number(args, OPT_SHOW_PSEUDO_PROBE, 1) ? 0 : APF_DISASSEMBLY_NO_PROBES);
    return 0;
}

/* An apf_diag_fn; `user` is a struct probes_request. */
static int warn_of_finding(void *user, const struct apf_diag *diag)
{
    const struct probes_request *r = user;
    report_warning(r->base.session, r->path, "%s", diag->error->message);
    return 0;
}

static int disassemble(const struct probes_source *source, struct disasm_request *r)
{
    struct apf_disassembly_options options = {.size = sizeof options};
    struct apf_output output = shown_names_output(&r->probes.names, r->probes.base.output);
    struct apf_error error;
    int code = probes_function(source, &r->probes, &options.guid);
    if (code)
        return code;
    struct apf_options common = r->probes.base.limits;
    common.diag = warn_of_finding;
    common.user = &r->probes;
    options.options = &common;
    options.name = r->probes.path;
    options.functions = r->names;
    options.n_functions = r->n_names;
    options.flags = r->flags;
    options.low = r->probes.low;
    options.high = r->probes.high;
    code = apf_probes_disassemble(source->probes, &options, &output, &error);
    return exit_code_of_call(r->probes.base.session, r->probes.path, output.path, code, &error);
}

int cmd_probes_disasm(const struct session *session, const struct arguments *args)
{
    struct disasm_request r = {0};
    struct probes_source source = {.any_program = true};
    int code = parse_request(&r, session, args);
    if (code == 0)
        code = probes_open(&source, &r.probes, r.probes.path);
    if (code == 0)
        code = disassemble(&source, &r);
    apf_probes_close(source.probes);
    probes_request_free(&r.probes);
    free(r.names);
    return code ? code : source.findings ? EXIT_DATA : 0;
}
