/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* anyprof cov export, report, show, why */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "command.h"
#include "cov.h"
#include "memory.h"

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
    if (code == 0 && functions && !r.n_sources && session_is_llvm(session)) {
        report_error(session, NULL, "source files must be specified when -show-functions=true is specified");
        code = EXIT_DATA;
    } else if (code == 0 && functions && !r.n_sources)
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

int cmd_cov_show(const struct session *session, const struct arguments *args)
{
    struct cov_request r = {.n_sources = 0};
    const bool html = option_number(args, OPT_COV_FORMAT, SOURCE_TEXT) == SOURCE_HTML;
    int code = cov_request_parse(&r, session, args);
    if (session_is_llvm(session) && !r.pages) /* LLVM's -o is a directory, and its -color is about messages */
        r.pages = option_text(args, OPT_OUTPUT, NULL);
    r.hides_time = unless(args, OPT_COV_CREATED, 1) != 0;
    if (code == 0)
        code = html ? cov_request_run(&r, APF_COV_HTML, page_flags(args))
                    : cov_request_run(&r, APF_COV_SHOW,
                                      text_flags(args) | index_flags(args) |
                                          (has_colors(session, args, r.pages) ? APF_COV_COLORS : 0));
    cov_request_free(&r);
    return code;
}

/* A search for functions by their names in the source code. */
struct name_search {
    struct demangler names;
    const char *wanted;
    struct name_text text;
    char **found; /* the names that programs have for them, each once */
    size_t n;
};

/* Whether n bytes are a name, or end with it, after "::". */
static bool ends_with_name(const char *text, size_t n, const char *wanted)
{
    const size_t length = strlen(wanted);
    return n >= length && memcmp(text + n - length, wanted, length) == 0 &&
           (n == length || (n > length + 2 && memcmp(text + n - length - 2, "::", 2) == 0));
}

/* Whether that is the name of a function as in its source: whole, or without its parameters and type, and without the
 * arguments of its template, and without its namespaces. */
static bool is_source_name(const char *shown, const char *wanted)
{
    size_t begin = 0, end = 0, arguments = 0, depth = 0;
    for (; shown[end] && (depth || shown[end] != '('); end++) {
        if (shown[end] == '<' && depth++ == 0)
            arguments = end;
        else if (shown[end] == '>' && depth)
            depth--;
        else if (shown[end] == ' ' && !depth)
            begin = end + 1;
    }
    const bool is_template = end && shown[end - 1] == '>' && arguments > begin;
    return strcmp(shown, wanted) == 0 || ends_with_name(shown + begin, end - begin, wanted) ||
           (is_template && ends_with_name(shown + begin, arguments - begin, wanted));
}

/* An apf_cov_function_fn. */
static int search_name(void *user, const struct apf_cov_function *function)
{
    struct name_search *s = (struct name_search *)user;
    const char *shown = name_text_set(&s->text, demangler_show(&s->names, function->name));
    if (!is_source_name(shown, s->wanted))
        return 0;
    const char *name = name_text_set(&s->text, function->name);
    for (size_t i = 0; i < s->n; i++)
        if (strcmp(s->found[i], name) == 0)
            return 0;
    s->found = (char **)checked_realloc(s->found, s->n + 1, sizeof *s->found);
    s->found[s->n++] = checked_copy(name);
    return 0;
}

/* Finds the names that programs have for a function, if the C++ runtime is there. */
static void search_names(struct name_search *s, const struct apf_cov *cov)
{
    struct apf_error error;
    if (!demangler_try(&s->names))
        return;
    for (int left_out = 0; left_out < 2; left_out++)
        (void)apf_cov_functions(cov, left_out, search_name, s, &error);
}

static void name_search_free(struct name_search *s)
{
    for (size_t i = 0; i < s->n; i++)
        free(s->found[i]);
    free(s->found);
    free(s->text.p);
    demangler_free(&s->names);
}

/* Explains the functions of a name in the source code or in the program. 0, or an exit code after a report. */
static int explain_one(struct cov_request *r, const struct apf_cov *cov, const char *wanted)
{
    const struct apf_output output = apf_output_file("-");
    struct name_search s = {.wanted = wanted};
    struct apf_error error;
    int found = 0, code = APF_OK;
    search_names(&s, cov);
    for (size_t i = 0; i < (s.n ? s.n : 1) && code == APF_OK; i++) {
        const char *name = s.n ? s.found[i] : wanted;
        code = apf_cov_why(cov, (struct apf_str){name, strlen(name)}, &output, &found, &error);
    }
    name_search_free(&s);
    if (code != APF_OK)
        return exit_code_of_call(r->base.session, NULL, output.path, code, &error);
    return found ? 0 : EXIT_DATA;
}

/* Explains each of the functions that are named. */
static int explain(struct cov_request *r, const struct apf_cov *cov, const struct arguments *args)
{
    int result = 0;
    for (size_t i = 1; i < args->n_files; i++) {
        const int code = explain_one(r, cov, args->files[i]);
        result = code ? code : result;
    }
    return result;
}

int cmd_cov_why(const struct session *session, const struct arguments *args)
{
    struct cov_request r = {.n_sources = 0};
    struct apf_cov *cov = NULL;
    int code = cov_request_parse(&r, session, args);
    if (code == 0 && args->n_files < 2)
        code = report_wrong(session, args, "a FUNCTION is required, after PROGRAM");
    if (code == 0)
        code = cov_request_open(&r, &r.options, &cov);
    if (code == 0)
        code = explain(&r, cov, args);
    apf_cov_close(cov);
    cov_request_free(&r);
    return code;
}
