/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* anyprof cov export, report, show */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "command.h"
#include "cov.h"

/* A flag of the library for an option that is on unless it is switched off. */
static uint32_t unless(const struct arguments *args, enum option_id id, uint32_t flag)
{
    return args->values[id].place && !option_flag(args, id) ? flag : 0;
}

static uint32_t when(const struct arguments *args, enum option_id id, uint32_t flag)
{
    return option_flag(args, id) ? flag : 0;
}

int cmd_cov_export(const struct session *session, const struct arguments *args)
{
    struct cov_request r = {.n_sources = 0};
    static const uint32_t formats[] = {[EXPORT_JSON] = APF_COV_JSON,
                                       [EXPORT_LCOV] = APF_COV_LCOV,
                                       [EXPORT_COBERTURA] = APF_COV_COBERTURA,
                                       [EXPORT_CODECOV] = APF_COV_CODECOV,
                                       [EXPORT_COVERALLS] = APF_COV_COVERALLS};
    const uint32_t format = formats[option_number(args, OPT_COV_FORMAT, EXPORT_JSON)];
    int code = cov_request_parse(&r, session, args);
    if (code == 0)
        code = cov_request_run(&r, format,
                               when(args, OPT_COV_SUMMARY_ONLY, APF_COV_SUMMARY_ONLY) |
                                   when(args, OPT_COV_SKIP_EXPANSIONS, APF_COV_SKIP_EXPANSIONS) |
                                   when(args, OPT_COV_SKIP_FUNCTIONS, APF_COV_SKIP_FUNCTIONS) |
                                   when(args, OPT_COV_SKIP_BRANCHES, APF_COV_SKIP_BRANCHES) |
                                   unless(args, OPT_COV_UNIFY, APF_COV_NO_UNIFY));
    cov_request_free(&r);
    return code;
}

int cmd_cov_report(const struct session *session, const struct arguments *args)
{
    struct cov_request r = {.n_sources = 0};
    const bool functions = option_flag(args, OPT_COV_FUNCTIONS);
    int code = cov_request_parse(&r, session, args);
    if (code == 0 && functions && !r.n_sources)
        code = report_wrong(session, args, "source files must be specified when --show-functions is given");
    if (code == 0)
        code = cov_request_run(&r, functions ? APF_COV_FUNCTIONS : APF_COV_REPORT,
                               unless(args, OPT_COV_REGION_SUMMARY, APF_COV_NO_REGIONS) |
                                   unless(args, OPT_COV_BRANCH_SUMMARY, APF_COV_NO_BRANCHES) |
                                   when(args, OPT_COV_INSTANTIATION_SUMMARY, APF_COV_INSTANTIATIONS) |
                                   when(args, OPT_COV_MCDC_SUMMARY, APF_COV_MCDC));
    cov_request_free(&r);
    return code;
}

/* What of each line is shown; without options, its count. */
static uint32_t line_flags(const struct arguments *args)
{
    const bool both = option_flag(args, OPT_COV_COUNTS_OR_REGIONS),
               regions = option_flag(args, OPT_COV_REGIONS);
    const bool counts = args->values[OPT_COV_COUNTS].place != 0;
    return (regions || both ? APF_COV_REGIONS : 0) | (counts || both || !regions ? 0 : APF_COV_NO_COUNTS);
}

/* Whether text has colours: if an option says so, or on terminals, but not under llvm-cov's name. */
static bool has_colors(const struct session *session, const struct arguments *args)
{
    const char *none = getenv("NO_COLOR"), *output = option_text(args, OPT_OUTPUT, "-");
    if (args->values[OPT_COV_USE_COLOR].place)
        return option_flag(args, OPT_COV_USE_COLOR);
    if (args->values[OPT_COLOR].place)
        return option_flag(args, OPT_COLOR);
    return strcmp(output, "-") == 0 && isatty(STDOUT_FILENO) && !(none && *none) && !session_is_llvm(session);
}

/* What of the source is shown in text: what options ask for. */
static uint32_t text_flags(const struct arguments *args)
{
    static const uint32_t branches[] = {0, APF_COV_BRANCH_COUNTS, APF_COV_BRANCH_PERCENT};
    return line_flags(args) | branches[option_number(args, OPT_COV_BRANCHES, BRANCHES_HIDDEN)] |
           when(args, OPT_COV_MCDC, APF_COV_MCDC) | when(args, OPT_COV_EXPANSIONS, APF_COV_EXPANSIONS) |
           (APF_COV_INSTANTIATIONS & ~unless(args, OPT_COV_INSTANTIATIONS, APF_COV_INSTANTIATIONS));
}

/* And on pages, where it is folded: all but what options switch off. */
static uint32_t page_flags(const struct arguments *args)
{
    const uint32_t off = unless(args, OPT_COV_MCDC, APF_COV_MCDC) |
                         unless(args, OPT_COV_EXPANSIONS, APF_COV_EXPANSIONS) |
                         unless(args, OPT_COV_REGIONS, APF_COV_REGIONS) |
                         unless(args, OPT_COV_INSTANTIATIONS, APF_COV_INSTANTIATIONS);
    return (APF_COV_MCDC | APF_COV_EXPANSIONS | APF_COV_REGIONS | APF_COV_INSTANTIATIONS |
            APF_COV_BRANCH_COUNTS) &
           ~off;
}

int cmd_cov_show(const struct session *session, const struct arguments *args)
{
    struct cov_request r = {.n_sources = 0};
    const bool html = option_number(args, OPT_COV_FORMAT, SOURCE_TEXT) == SOURCE_HTML;
    int code = cov_request_parse(&r, session, args);
    if (code == 0 && r.pages && !html)
        code = report_wrong(session, args, "--output-dir is for --format=html");
    if (code == 0)
        code = html ? cov_request_run(&r, APF_COV_HTML, page_flags(args))
                    : cov_request_run(&r, APF_COV_SHOW,
                                      text_flags(args) | (has_colors(session, args) ? APF_COV_COLORS : 0));
    cov_request_free(&r);
    return code;
}
