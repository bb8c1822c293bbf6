/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* anyprof cov diff */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "command.h"
#include "cov.h"
#include "streams.h"

struct diff_request {
    struct cov_request cov;
    struct cov_profiles base; /* n == 0: a diff is read */
    const char *patch;
    uint32_t format;
};

static int parse(struct diff_request *r, const struct session *session, const struct arguments *args)
{
    const struct option_value *base = &args->values[OPT_COV_BASE];
    const bool markdown = option_flag(args, OPT_MARKDOWN);
    int code = cov_request_parse(&r->cov, session, args);
    if (code != 0)
        return code;
    if (markdown && r->cov.base.json)
        return report_wrong(session, args, "--markdown and --json exclude each other");
    if (base->n_list && args->values[OPT_COV_PATCH].place)
        return report_wrong(session, args, "--base and --patch exclude each other");
    if (base->n_list && r->cov.gates[COV_GATE_PATCH].given)
        return report_wrong(session, args, "--fail-under-patch is about a diff, which --base has not");
    r->patch = option_text(args, OPT_COV_PATCH, "-");
    r->format = markdown ? APF_COV_DIFF_MARKDOWN : r->cov.base.json ? APF_COV_DIFF_JSON : APF_COV_DIFF_TEXT;
    r->cov.without_sources = r->format != APF_COV_DIFF_TEXT;
    code = cov_profiles_find(&r->base, session, base);
    return code == 0 && cov_request_replaces(&r->cov, args, &r->base) ? session->persona->usage_exit : code;
}

/* Reads the base: the same programs with other profiles. */
static int open_base(struct diff_request *r, struct apf_cov **base)
{
    struct apf_cov_options options = r->cov.options;
    options.profiles = r->base.inputs;
    options.n_profiles = r->base.n;
    return cov_request_open(&r->cov, &options, base);
}

/* An apf_cov_source_fn. Only text needs source files, and with --exclusion-markers they were reported before. */
static void looked_for(void *user, const struct apf_cov_source *source)
{
    struct cov_request *r = (struct cov_request *)user;
    if ((source->is_read || !r->without_sources) && !(r->options.flags & APF_COV_MARKERS))
        cov_sources_looked(user, source);
}

static int compare(struct diff_request *r, const struct apf_cov *cov, const struct apf_cov *base)
{
    const struct session *session = r->cov.base.session;
    if (!base && !r->cov.base.quiet && strcmp(r->patch, "-") == 0 && isatty(STDIN_FILENO))
        report_note(session,
                    "a diff is read from standard input, such as that of git diff; --patch=FILE reads a "
                    "file");
    const struct apf_input patch = stream_input(session, r->patch);
    const struct apf_output output = apf_output_file(r->cov.base.output);
    char *here = realpath(".", NULL);
    const struct apf_cov_diff_options options = {.size = sizeof options,
                                                 .patch = base ? NULL : &patch,
                                                 .base = base,
                                                 .format = r->format,
                                                 .root = here,
                                                 .filter = cov_request_wants,
                                                 .user = &r->cov,
                                                 .options = &r->cov.common,
                                                 .source_map = r->cov.source_map.list,
                                                 .n_source_map = r->cov.source_map.n,
                                                 .source = looked_for};
    struct apf_cov_diff_result result = {.size = sizeof result};
    struct apf_error error;
    const int code = apf_cov_diff(cov, &options, &output, &result, &error);
    free(here);
    int exit = exit_code_of_call(session, base ? NULL : r->patch, output.path, code, &error);
    if (exit == 0 && base)
        cov_request_losses(&r->cov, base);
    if (exit == 0 && result.n_unknown && !result.lines.n && !r->cov.base.quiet)
        report_warning(session, NULL,
                       "no program has a source file of the diff, whose names must be relative to the "
                       "current directory, or the ends of names in the programs");
    if (exit == 0)
        exit = cov_request_report(&r->cov, cov);
    return exit ? exit
                : cov_gate_check(&r->cov, &r->cov.gates[COV_GATE_PATCH], "changed lines", &result.lines);
}

int cmd_cov_diff(const struct session *session, const struct arguments *args)
{
    struct diff_request r = {.format = APF_COV_DIFF_TEXT};
    struct apf_cov *cov = NULL, *base = NULL;
    int code = parse(&r, session, args);
    if (code == 0)
        code = cov_request_open(&r.cov, &r.cov.options, &cov);
    if (code == 0 && cov_sources_are_replaced(&r.cov, cov))
        code = session->persona->usage_exit;
    if (code == 0 && r.base.n)
        code = open_base(&r, &base);
    if (code == 0)
        code = compare(&r, cov, base);
    apf_cov_close(base);
    apf_cov_close(cov);
    cov_profiles_free(&r.base);
    cov_request_free(&r.cov);
    return code;
}
