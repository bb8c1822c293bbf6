/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "probe/probe_print.h"

#include "base/error.h"
#include "base/options.h"

static int print_failed(const struct probe_printer *pr, struct apf_error *error)
{
    return pr->code != APF_OK ? pr->code : error_memory(error);
}

static int print_view(struct probe_printer *pr, probe_view *text, probe_view *to_json,
                      struct apf_error *error)
{
    struct json_writer json;
    if (!(pr->options.flags & APF_PROBES_PRINT_JSON))
        return text(pr) ? APF_OK : print_failed(pr, error);
    pr->json = &json;
    json_start_output(&json, pr->out);
    return to_json(pr) ? json_finish(&json, error) : print_failed(pr, error);
}

int probe_print_with(struct probe_printer *pr, probe_view *text, probe_view *json,
                     const struct apf_output *output, struct apf_error *error)
{
    int code = file_out_open(&pr->out, output, error);
    if (code != APF_OK)
        return code;
    pr->names = name_budget_start(pr->probes);
    code = file_out_finish(pr->out, print_view(pr, text, json, error), error);
    arena_free(&pr->arena);
    return code;
}

/* Text and JSON of each apf_probes_view. */
static const struct {
    probe_view *text, *json;
} views[] = {
    [APF_PROBES_VIEW_DESC] = {probe_text_desc, probe_json_desc},
    [APF_PROBES_VIEW_LIST] = {probe_text_list, probe_json_list},
    [APF_PROBES_VIEW_TREE] = {probe_text_tree, probe_json_tree},
    [APF_PROBES_VIEW_STATS] = {probe_text_stats, probe_json_stats},
};

static bool has_function(const struct apf_probes *p, uint64_t guid)
{
    size_t first;
    return apf_probes_find_desc(p, guid) || apf_probes_find_nodes(p, guid, &first) != 0;
}

#define ALL_FLAGS (APF_PROBES_PRINT_JSON | APF_PROBES_PRINT_ONE_FUNCTION | APF_PROBES_PRINT_RANGE)

int apf_probes_print(const struct apf_probes *p, const struct apf_probes_print_options *options,
                     const struct apf_output *output, struct apf_error *error)
{
    struct probe_printer pr = {.probes = p};
    int code = OPTIONS_READ(apf_probes_print_options, &pr.options, options, error);
    if (code == APF_OK)
        code = flags_check(pr.options.flags, ALL_FLAGS, "apf_probes_print_options.flags", error);
    if (code != APF_OK)
        return code;
    if (pr.options.view >= sizeof views / sizeof *views)
        return error_plain(error, APF_ARGUMENT, "probes.view", "there is no such view");
    if (pr.options.flags & APF_PROBES_PRINT_ONE_FUNCTION && !has_function(p, pr.options.guid))
        return error_plain(error, APF_UNKNOWN_FUNCTION, "probes.function",
                           "neither a descriptor nor a probe has its GUID");
    return probe_print_with(&pr, views[pr.options.view].text, views[pr.options.view].json, output, error);
}
