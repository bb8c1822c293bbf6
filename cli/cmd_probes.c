/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* anyprof probes desc, list, tree, stats */
#include "command.h"
#include "probes.h"

static int print_view(const struct session *session, const struct arguments *args, uint32_t view)
{
    struct probes_request r = {0};
    struct probes_source source = {0};
    struct apf_probes_print_options options = {.size = sizeof options};
    struct apf_error error;
    int code = probes_parse(&r, session, args);
    struct apf_output output = shown_names_output(&r.names, r.base.output);
    options.view = view;
    options.flags = (r.base.json ? APF_PROBES_PRINT_JSON : 0) |
                    (r.function ? APF_PROBES_PRINT_ONE_FUNCTION : 0) |
                    (r.address ? APF_PROBES_PRINT_RANGE : 0);
    options.low = r.low;
    options.high = r.high;
    if (code == 0)
        code = probes_open(&source, &r, r.path);
    if (code == 0)
        code = probes_function(&source, &r, &options.guid);
    if (code == 0) {
        code = apf_probes_print(source.probes, &options, &output, &error);
        code = exit_code_of_call(session, r.path, output.path, code, &error);
    }
    apf_probes_close(source.probes);
    probes_request_free(&r);
    return code ? code : source.findings ? EXIT_DATA : 0;
}

int cmd_probes_desc(const struct session *session, const struct arguments *args)
{
    return print_view(session, args, APF_PROBES_VIEW_DESC);
}

int cmd_probes_list(const struct session *session, const struct arguments *args)
{
    return print_view(session, args, APF_PROBES_VIEW_LIST);
}

int cmd_probes_tree(const struct session *session, const struct arguments *args)
{
    return print_view(session, args, APF_PROBES_VIEW_TREE);
}

int cmd_probes_stats(const struct session *session, const struct arguments *args)
{
    return print_view(session, args, APF_PROBES_VIEW_STATS);
}
