/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "correlation.h"

#include <stdlib.h>
#include <string.h>

#include "limits.h"
#include "report.h"

#define DEFAULT_WARNINGS 5u /* as in LLVM */

/* An apf_diag_fn: LLVM's warnings do not name the program, which matters where there are several. */
static int take_finding(void *user, const struct apf_diag *diag)
{
    const struct correlation *c = (const struct correlation *)user;
    char file[4096];
    if (!c->quiet)
        report_warning(c->session, c->prefix ? printable(file, sizeof file, diag->source) : NULL, "%s",
                       diag->error->message);
    return 0;
}

/* ---- merge ---- */

/* --correlate; or the compiler's option, which LLVM's tool takes for nothing, where it can mean something. */
static uint64_t kind_of(const struct arguments *args)
{
    uint64_t kind = option_number(args, OPT_CORRELATE, CORRELATE_NONE);
    if (kind == CORRELATE_NONE && args->values[OPT_DEBUG_FILE_DIRECTORY].n_list)
        kind = option_number(args, OPT_PROFILE_CORRELATE, CORRELATE_NONE);
    return kind;
}

/* LLVM's checks, in its order. NULL: nothing is wrong. */
static const char *objection(const struct arguments *args)
{
    bool info = args->values[OPT_DEBUG_INFO].n_list != 0, binary = args->values[OPT_BINARY_FILE].n_list != 0;
    bool network = option_flag(args, OPT_DEBUGINFOD);
    bool directory = args->values[OPT_DEBUG_FILE_DIRECTORY].n_list != 0;
    bool kind = kind_of(args) != CORRELATE_NONE;
    if (info && (binary || network || directory))
        return "Expected only one of -debug-info, -binary-file, -debuginfod or -debug-file-directory";
    if (binary && (network || directory))
        return "Expected only one of -binary-file, -debuginfod or -debug-file-directory";
    if (network && !kind)
        return "Expected --correlate when --debuginfod is provided";
    if (network)
        return "--debuginfod is not supported: anyprof does not use the network; give the directory of "
               "debuginfod-find's cache, or another one with the programs, to --debug-file-directory";
    if (directory && !kind)
        return "Expected --correlate when --debug-file-directory is provided";
    if (kind && !directory)
        return "Expected --debuginfod or --debug-file-directory when --correlate is provided";
    return NULL;
}

/* Whether a program has its metadata in memory, and so completes no profile, but has the names of what is salvaged.
 * What is wrong with others the correlator says. */
static bool has_names(struct correlation *c, const struct apf_input *program,
                      const struct apf_options *options)
{
    struct apf_binary_functions *functions;
    if (apf_binary_functions_open(&functions, program, APF_METADATA_LOADED, options, NULL) != APF_OK)
        return false;
    c->named = (struct apf_binary_functions **)checked_realloc(c->named, c->n_named + 1, sizeof *c->named);
    c->named[c->n_named++] = functions;
    return true;
}

static int open_programs(struct correlation *c, struct apf_correlator_options *o,
                         const struct option_value *files, const char *const *directories, bool salvage)
{
    struct apf_error error = {0};
    struct apf_input *programs = NULL;
    size_t n = 0;
    if (files->n_list)
        programs = (struct apf_input *)checked_realloc(NULL, files->n_list, sizeof *programs);
    for (size_t i = 0; i < files->n_list; i++) {
        memset(&programs[n], 0, sizeof programs[n]);
        programs[n].path = files->list[i];
        n += !(salvage && o->kind == APF_METADATA_BINARY && has_names(c, &programs[n], &o->options));
    }
    o->programs = programs;
    o->n_programs = n;
    o->directories = directories;
    c->prefix = files->n_list != 1;
    if (n == 0 && files->n_list) { /* all of them are ordinary ones */
        free(programs);
        return 0;
    }
    int code = apf_correlator_open(&c->correlator, o, &error);
    if (code != APF_OK)
        report_failure(c->session, error.input < o->n_programs ? programs[error.input].path : NULL, &error);
    free(programs);
    return code == APF_OK ? 0 : EXIT_DATA;
}

int correlation_open(struct correlation *c, struct apf_options *options, const struct session *session,
                     const struct arguments *args)
{
    const char *reason = objection(args);
    const struct option_value *info = &args->values[OPT_DEBUG_INFO];
    const struct option_value *binary = &args->values[OPT_BINARY_FILE];
    const struct option_value *directories = &args->values[OPT_DEBUG_FILE_DIRECTORY];
    struct apf_correlator_options o = {.size = sizeof o};
    memset(c, 0, sizeof *c);
    c->session = session;
    c->quiet = option_flag(args, OPT_QUIET);
    if (reason) {
        report_error(session, NULL, "%s", reason);
        return session->persona->usage_exit;
    }
    if (!info->n_list && !binary->n_list && !directories->n_list)
        return 0;
    bool from_info = info->n_list || kind_of(args) == CORRELATE_DEBUG_INFO;
    o.options = *options;
    o.options.diag = take_finding;
    o.options.user = c;
    o.kind = from_info ? APF_METADATA_DEBUG_INFO : APF_METADATA_BINARY;
    o.max_warnings = (uint32_t)option_number(args, OPT_MAX_CORRELATION_WARNINGS, DEFAULT_WARNINGS);
    o.n_directories = directories->n_list;
    int code =
        open_programs(c, &o, info->n_list ? info : binary, directories->list, option_flag(args, OPT_SALVAGE));
    if (code == 0 && c->correlator)
        options->correlation = apf_correlator_source(c->correlator);
    return code;
}

bool correlation_tell(struct correlation *c)
{
    struct apf_error error;
    if (!c->correlator || apf_correlator_tell(c->correlator, &error) == APF_OK)
        return true;
    report_failure(c->session, NULL, &error);
    return false;
}

static int add_names(struct apf_merge *merge, const struct apf_binary_functions *functions,
                     struct apf_error *error)
{
    size_t n;
    const struct apf_function *list = apf_binary_functions_list(functions, &n);
    struct apf_str *names = (struct apf_str *)checked_realloc(NULL, n + 1, sizeof *names);
    for (size_t i = 0; i < n; i++)
        names[i] = list[i].name;
    int code = apf_merge_add_names(merge, names, n, error);
    free(names);
    return code;
}

bool correlation_name(const struct correlation *c, struct apf_merge *merge)
{
    struct apf_error error;
    if (apf_merge_stats(merge)->n_salvaged == 0)
        return true;
    for (size_t i = 0; i < c->n_named; i++)
        if (add_names(merge, c->named[i], &error) != APF_OK) {
            report_failure(c->session, NULL, &error);
            return false;
        }
    return true;
}

void correlation_close(struct correlation *c)
{
    for (size_t i = 0; i < c->n_named; i++)
        apf_binary_functions_close(c->named[i]);
    free(c->named);
    c->named = NULL;
    c->n_named = 0;
    apf_correlator_close(c->correlator);
    c->correlator = NULL;
}

/* ---- show ---- */

int correlation_show(const struct session *session, const struct arguments *args)
{
    const struct option_value *files = &args->values[OPT_DEBUG_INFO];
    struct correlation c = {.session = session};
    struct apf_input input = {.path = files->list[files->n_list - 1]}; /* the last one counts, as in LLVM */
    struct apf_output output = {option_text(args, OPT_OUTPUT, "-"), NULL, NULL, 0};
    struct apf_correlate_print_options o = {.size = sizeof o};
    struct apf_error error;
    uint64_t format = option_number(args, OPT_SHOW_FORMAT, SHOW_TEXT);
    if (format == SHOW_JSON || option_flag(args, OPT_JSON)) {
        report_error(session, NULL, "JSON output is not supported for debug info correlation");
        return session->persona->usage_exit;
    }
    o.options = limits_of(args);
    o.options.diag = take_finding;
    o.options.user = &c;
    o.max_warnings = (uint32_t)option_number(args, OPT_MAX_CORRELATION_WARNINGS, DEFAULT_WARNINGS);
    o.flags = (format == SHOW_YAML ? APF_CORRELATE_YAML : 0) |
              (option_flag(args, OPT_SHOW_PROF_SYM_LIST) ? APF_CORRELATE_NAMES : 0) |
              (option_flag(args, OPT_DETAILED_SUMMARY) ? APF_CORRELATE_COUNTERS : 0);
    if (apf_correlate_print(&input, &o, &output, &error) == APF_OK)
        return 0;
    report_failed_call(session, input.path, output.path, &error);
    return EXIT_DATA;
}
