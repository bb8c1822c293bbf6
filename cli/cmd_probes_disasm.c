/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* anyprof probes disasm */
#include <stdlib.h>
#include <string.h>

#include "limits.h"
#include "places.h"
#include "probes.h"

/* Names, from lists with commas. */
struct names {
    struct apf_str *data;
    size_t n;
};

static void add_names(struct names *names, const char *list)
{
    for (;;) {
        size_t n = strcspn(list, ",");
        struct apf_str name = {list, n};
        names->data = checked_realloc(names->data, names->n + 1, sizeof *names->data);
        names->data[names->n++] = name;
        if (list[n] == '\0')
            return;
        list += n + 1;
    }
}

/* An apf_diag_fn. */
static int warn(void *user, const struct apf_diag *diag)
{
    const struct probes_source *source = user;
    report_warning(source->session, source->path, "%s", diag->error->message);
    return 0;
}

static bool fill(struct apf_disassembly_options *options, struct names *names, const struct session *session,
                 const struct arguments *args)
{
    struct apf_probes_print_options filter = {0};
    const struct option_value *functions = &args->values[OPT_DISASSEMBLE_FUNCTIONS];
    if (!probes_filter(&filter, session, args))
        return false;
    for (size_t i = 0; i < functions->n_list; i++)
        add_names(names, functions->list[i]);
    options->size = sizeof *options;
    options->options = limits_of(args);
    options->name = args->files[0];
    options->functions = names->data;
    options->n_functions = names->n;
    options->flags = filter.flags & APF_PROBES_ONE_FUNCTION ? APF_DISASSEMBLY_ONE_FUNCTION : 0;
    options->flags |= filter.flags & APF_PROBES_RANGE ? APF_DISASSEMBLY_RANGE : 0;
    options->low = filter.low;
    options->high = filter.high;
    if (option_number(args, OPT_X86_ASM_SYNTAX, SYNTAX_ATT) == SYNTAX_INTEL)
        options->flags |= APF_DISASSEMBLY_INTEL;
    if (option_flag(args, OPT_SHOW_SOURCE_LOCATIONS))
        options->flags |= APF_DISASSEMBLY_LOCATIONS;
    if (!option_number(args, OPT_SHOW_PSEUDO_PROBE, 1))
        options->flags |= APF_DISASSEMBLY_NO_PROBES;
    return true;
}

int cmd_probes_disasm(const struct session *session, const struct arguments *args)
{
    struct probes_source source = {0};
    struct apf_disassembly_options options = {0};
    struct apf_output output = {option_text(args, OPT_OUTPUT, "-"), NULL, NULL, 0};
    struct apf_error error;
    struct names names = {NULL, 0};
    if (!args->n_files)
        return report_wrong(session, args, "a FILE is required");
    if (place_is_read(session, args, 1))
        return session->persona->usage_exit;
    if (!fill(&options, &names, session, args))
        return session->persona->usage_exit;
    source.path = args->files[0];
    options.options.diag = warn;
    options.options.user = &source;
    int code = probes_open(&source, session, args, args->files[0]);
    if (code == 0)
        code = probes_function(&source, args, &options.guid);
    if (code == 0 && apf_probes_disassemble(source.probes, &options, &output, &error) != APF_OK) {
        report_failed_call(session, args->files[0], output.path, &error);
        code = EXIT_DATA;
    }
    probes_close(&source);
    free(names.data);
    return code ? code : source.findings ? EXIT_DATA : 0;
}
