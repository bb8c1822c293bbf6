/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* anyprof cov export, report, show */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "command.h"
#include "cov.h"
#include "numbers.h"
#include "report.h"

/* A flag of the library for an option that is on unless it is switched off. */
static uint32_t unless(const struct arguments *args, enum option_id id, uint32_t flag)
{
    return args->values[id].place && !option_flag(args, id) ? flag : 0;
}

static uint32_t when(const struct arguments *args, enum option_id id, uint32_t flag)
{
    return option_flag(args, id) ? flag : 0;
}

/* Notes that the name of the output is that of another format, which is not made. */
static void check_ending(const struct session *session, const struct arguments *args, const char *ending,
                         bool is_made, const char *format)
{
    const char *output = option_text(args, OPT_OUTPUT, "-");
    const size_t n = strlen(output), length = strlen(ending);
    if (!is_made && n > length && strcmp(output + n - length, ending) == 0 && !session_is_llvm(session))
        report_note(session, "files with names such as %s are usually those of --format=%s", output, format);
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
    if (code == 0) {
        check_ending(session, args, ".info", format == APF_COV_LCOV, "lcov");
        check_ending(session, args, ".xml", format == APF_COV_COBERTURA, "cobertura");
        check_ending(session, args, ".html", false, "html of cov show");
    }
    cov_request_free(&r);
    return code;
}

/* How wide a table may be: as an option says, or as the terminal is that it is printed to; 0: any width. */
static uint32_t table_width(const struct cov_request *r, const struct arguments *args)
{
    struct winsize size = {.ws_col = 0};
    if (args->values[OPT_COV_WIDTH].place)
        return (uint32_t)option_number(args, OPT_COV_WIDTH, 0);
    if (r->options.flags & APF_COV_LLVM || strcmp(r->base.output, "-") != 0 || !isatty(STDOUT_FILENO) ||
        ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0)
        return 0;
    return size.ws_col;
}

int cmd_cov_report(const struct session *session, const struct arguments *args)
{
    struct cov_request r = {.n_sources = 0};
    const bool functions = option_flag(args, OPT_COV_FUNCTIONS);
    int code = cov_request_parse(&r, session, args);
    if (code == 0 && functions && !r.n_sources && session_is_llvm(session)) {
        report_error(session, NULL, "source files must be specified when -show-functions=true is specified");
        code = EXIT_DATA;
    } else if (code == 0 && functions && !r.n_sources)
        code = report_wrong(session, args, "source files must be specified when --show-functions is given");
    if (code == 0)
        r.width = table_width(&r, args);
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

/* Which columns the table of text pages has. */
static uint32_t index_flags(const struct arguments *args)
{
    return unless(args, OPT_COV_REGION_SUMMARY, APF_COV_NO_REGIONS) |
           unless(args, OPT_COV_BRANCH_SUMMARY, APF_COV_NO_BRANCHES) |
           when(args, OPT_COV_INSTANTIATION_SUMMARY, APF_COV_INDEX_INSTANTIATIONS) |
           when(args, OPT_COV_MCDC_SUMMARY, APF_COV_INDEX_MCDC);
}

/* Whether text has colours: if an option says so, or on terminals, but not under llvm-cov's name. */
static bool has_colors(const struct session *session, const struct arguments *args, const char *pages)
{
    const char *none = getenv("NO_COLOR"), *output = option_text(args, OPT_OUTPUT, "-");
    if (args->values[OPT_COV_USE_COLOR].place)
        return option_flag(args, OPT_COV_USE_COLOR);
    if (args->values[OPT_COLOR].place && !session_is_llvm(session))
        return option_flag(args, OPT_COLOR);
    return !pages && strcmp(output, "-") == 0 && isatty(STDOUT_FILENO) && !(none && *none) &&
           !session_is_llvm(session);
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

#define LONGEST_NUMBER 64u

/* Reads n letters as a number, after blanks, as llvm-cov does. */
static bool read_share(const char *text, size_t n, double *share)
{
    char number[LONGEST_NUMBER];
    const size_t blanks = strspn(text, " ");
    if (n < blanks || n - blanks >= sizeof number)
        return false;
    memcpy(number, text + blanks, n - blanks);
    number[n - blanks] = '\0';
    return parse_real(number, share);
}

/* Reports what is wrong with --coverage-watermark, in llvm-cov's words. Returns the exit code. */
CLI_PRINTF(2, 3) static int report_watermark(const struct session *session, const char *format, ...)
{
    char text[512];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    if (session_is_llvm(session))
        report_error(session, "-coverage-watermark", "%s", text);
    else
        report_usage(session, "--coverage-watermark: %s", text);
    return session->persona->usage_exit;
}

/* Reads the limits of shares on pages. 0, or an exit code after a report. */
static int set_watermark(struct cov_request *r, const struct session *session, const struct arguments *args)
{
    const char *text = option_text(args, OPT_COV_WATERMARK, "");
    if (!*text && r->options.flags & APF_COV_LLVM)
        text = "100,80";
    const char *comma = strchr(text, ',');
    double high = 0, low = 0;
    if (!*text)
        return 0;
    if (!comma || comma == text || !comma[1])
        return report_watermark(session, "invalid argument '%s', must be in format 'high,low'", text);
    if (!read_share(text, (size_t)(comma - text), &high))
        return report_watermark(session, "invalid number '%.*s', invalid value for 'high'",
                                (int)(comma - text), text);
    if (!read_share(comma + 1, strlen(comma + 1), &low))
        return report_watermark(session, "invalid number '%s', invalid value for 'low'", comma + 1);
    if (!(high <= 100 && low >= 0 && high > low))
        return report_watermark(session,
                                "invalid number range '%s', must be both high and low should be between "
                                "0-100, and high > low",
                                text);
    r->good = (uint32_t)(high * 100 + 0.5);
    r->good += r->good == 0;
    r->fair = (uint32_t)(low * 100 + 0.5);
    return 0;
}

int cmd_cov_show(const struct session *session, const struct arguments *args)
{
    struct cov_request r = {.n_sources = 0};
    const bool html = option_number(args, OPT_COV_FORMAT, SOURCE_TEXT) == SOURCE_HTML;
    int code = cov_request_parse(&r, session, args);
    if (session_is_llvm(session) && !r.pages) /* LLVM's -o is a directory, and its -color is about messages */
        r.pages = option_text(args, OPT_OUTPUT, NULL);
    r.hides_time = unless(args, OPT_COV_CREATED, 1) != 0;
    if (code == 0 && html && !r.pages && !session_is_llvm(session) && strcmp(r.base.output, "-") == 0 &&
        isatty(STDOUT_FILENO))
        code = report_wrong(session, args,
                            "a page is not for terminals: -o FILE.html or --output-dir=DIR is required");
    if (code == 0)
        code = set_watermark(&r, session, args);
    if (code == 0)
        code = html ? cov_request_run(&r, APF_COV_HTML, page_flags(args))
                    : cov_request_run(&r, APF_COV_SHOW,
                                      text_flags(args) | index_flags(args) |
                                          (has_colors(session, args, r.pages) ? APF_COV_COLORS : 0));
    if (code == 0)
        check_ending(session, args, ".html", html, "html");
    cov_request_free(&r);
    return code;
}
