/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "correlation.h"

#include <stdlib.h>
#include <string.h>

#include "memory.h"

/* An apf_diag_fn; `user` is a struct correlation. As in LLVM, the program is not named, unless there are several. */
static int warn_of_finding(void *user, const struct apf_diag *diag)
{
    const struct correlation *c = (const struct correlation *)user;
    char file[4096];
    if (!c->quiet)
        report_warning(c->session, c->prefix ? printable(file, sizeof file, diag->source) : NULL, "%s",
                       diag->error->message);
    return 0;
}

/* ---- the request ---- */

/* CORRELATE_*: of --correlate or, if that is missing beside --debug-file-directory, of --profile-correlate. */
static uint64_t kind_of(const struct arguments *args)
{
    uint64_t kind = option_number(args, OPT_CORRELATE, CORRELATE_NONE);
    if (kind == CORRELATE_NONE && args->values[OPT_DEBUG_FILE_DIRECTORY].n_list)
        kind = option_number(args, OPT_PROFILE_CORRELATE, CORRELATE_NONE);
    return kind;
}

/* What is wrong with the options, found by LLVM's checks in LLVM's order. NULL: nothing. */
static const char *find_wrong(const struct arguments *args)
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

int correlation_parse(struct correlation_request *r, const struct session *session,
                      const struct arguments *args)
{
    const char *wrong = find_wrong(args);
    const struct option_value *info = &args->values[OPT_DEBUG_INFO];
    bool from_info = info->n_list || kind_of(args) == CORRELATE_DEBUG_INFO;
    r->programs = info->n_list ? info : &args->values[OPT_BINARY_FILE];
    r->directories = &args->values[OPT_DEBUG_FILE_DIRECTORY];
    r->kind = from_info ? APF_METADATA_DEBUG_INFO : APF_METADATA_BINARY;
    r->max_warnings =
        (uint32_t)option_number(args, OPT_MAX_CORRELATION_WARNINGS, DEFAULT_CORRELATION_WARNINGS);
    if (wrong)
        report_error(session, NULL, "%s", wrong);
    return wrong ? session->persona->usage_exit : 0;
}

/* ---- the programs ---- */

/* Whether a program loads its metadata at run time. Such a program completes no profile, but has the names of salvaged
 * functions. The correlator reports errors of other programs. */
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
                         const struct option_value *files)
{
    struct apf_error error = {0};
    struct apf_input *programs = NULL;
    bool salvage = (o->options->flags & APF_FLAG_SALVAGE) != 0;
    size_t n = 0;
    if (files->n_list)
        programs = (struct apf_input *)checked_realloc(NULL, files->n_list, sizeof *programs);
    for (size_t i = 0; i < files->n_list; i++) {
        programs[n] = apf_input_file(files->list[i]);
        n += !(salvage && o->kind == APF_METADATA_BINARY && has_names(c, &programs[n], o->options));
    }
    o->programs = programs;
    o->n_programs = n;
    c->prefix = files->n_list != 1;
    if (n == 0 && files->n_list) { /* all of them are ordinary programs */
        free(programs);
        return 0;
    }
    int code = apf_correlator_open(&c->correlator, o, &error);
    if (code != APF_OK)
        report_failure(c->session, error.input < o->n_programs ? programs[error.input].path : NULL, &error);
    free(programs);
    return code == APF_OK ? 0 : EXIT_DATA;
}

int correlation_open(struct correlation *c, struct apf_options *options,
                     const struct correlation_request *programs, const struct request *request)
{
    struct apf_correlator_options o = {.size = sizeof o};
    memset(c, 0, sizeof *c);
    c->session = request->session;
    c->quiet = request->quiet;
    if (!programs->programs->n_list && !programs->directories->n_list)
        return 0;
    struct apf_options common = *options;
    common.diag = warn_of_finding;
    common.user = c;
    o.options = &common;
    o.kind = programs->kind;
    o.max_warnings = programs->max_warnings;
    o.directories = programs->directories->list;
    o.n_directories = programs->directories->n_list;
    int code = open_programs(c, &o, programs->programs);
    if (code)
        correlation_close(c);
    else if (c->correlator)
        options->correlation = apf_correlator_source(c->correlator);
    return code;
}

bool correlation_warn(struct correlation *c)
{
    struct apf_error error;
    if (!c->correlator || apf_correlator_report(c->correlator, &error) == APF_OK)
        return true;
    report_failure(c->session, NULL, &error);
    return false;
}

static int add_names(struct apf_merge *merge, const struct apf_binary_functions *functions,
                     struct apf_error *error)
{
    size_t n = apf_binary_functions_info(functions)->n_functions;
    struct apf_str *names = (struct apf_str *)checked_realloc(NULL, n + 1, sizeof *names);
    for (size_t i = 0; i < n; i++)
        names[i] = apf_binary_functions_function(functions, i)->name;
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
