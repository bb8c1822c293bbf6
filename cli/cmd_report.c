/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* anyprof report */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <anyprof/report.h>

#include "advice.h"
#include "command.h"
#include "demangle.h"
#include "file_list.h"
#include "memory.h"
#include "merge_summary.h"
#include "places.h"
#include "progress.h"
#include "report_output.h"
#include "streams.h"

#define MOST_LOSSES 10u /* that are named on standard error */

struct report_request {
    struct request base;
    struct file_list files, against;
    struct apf_input *programs;
    size_t n_programs;
    struct report_format format;
    char *title; /* of directories; NULL: the library makes one */
    uint32_t threads;
    uint32_t flags; /* APF_REPORT_CS */
};

/* Whether files that were named are there, which is not the report's business. */
static bool are_there(const struct session *session, const char *const *paths, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (strcmp(paths[i], "-") != 0 && access(paths[i], F_OK) != 0) {
            report_errno(session, paths[i], errno);
            return false;
        }
    return true;
}

/* Appends "runs (12 profiles)" for the only one of n paths, a directory, else "a.profraw and 5 more". */
static void add_title(char *title, size_t size, const char *const *paths, size_t n,
                      const struct file_list *files)
{
    const size_t at = strlen(title);
    if (n == 1 && place_is_directory(paths[0]))
        snprintf(title + at, size - at, "%s (%zu profile%s)", paths[0], files->n, files->n == 1 ? "" : "s");
    else if (files->n > 1)
        snprintf(title + at, size - at, "%s and %zu more", stream_path(&files->data[0]), files->n - 1);
    else if (files->n)
        snprintf(title + at, size - at, "%s", stream_path(&files->data[0]));
}

/* A title for profiles of which some are of one directory, for free(). NULL: none are. */
static char *title_of(const struct report_request *r, const struct arguments *args)
{
    const struct option_value *against = &args->values[OPT_AGAINST];
    if (!r->files.n || (against->n_list && !r->against.n))
        return NULL;
    if (!(args->n_files == 1 && place_is_directory(args->files[0])) &&
        !(args->n_files && against->n_list == 1 && place_is_directory(against->list[0])))
        return NULL;
    size_t size = 128;
    size += strlen(args->files[0]) + strlen(stream_path(&r->files.data[0]));
    if (against->n_list)
        size += strlen(against->list[0]) + strlen(stream_path(&r->against.data[0]));
    char *title = (char *)checked_realloc(NULL, size, 1);
    *title = '\0';
    add_title(title, size, args->files, args->n_files, &r->files);
    if (against->n_list) {
        snprintf(title + strlen(title), size - strlen(title), ", compared with ");
        add_title(title, size, against->list, against->n_list, &r->against);
    }
    return title;
}

/* stdin_is_repeated of everything that a report reads. */
static bool stdin_is_needed_twice(const struct session *session, const struct arguments *args)
{
    const struct option_value *more[] = {&args->values[OPT_AGAINST], &args->values[OPT_BINARY]};
    struct arguments all = *args;
    const char **files = (const char **)checked_realloc(
        NULL, args->n_files + more[0]->n_list + more[1]->n_list + 1, sizeof *files);
    for (size_t i = 0; i < args->n_files; i++)
        files[i] = args->files[i];
    for (size_t k = 0; k < sizeof more / sizeof *more; k++)
        for (size_t i = 0; i < more[k]->n_list; i++)
            files[all.n_files++] = more[k]->list[i];
    all.files = files;
    const bool repeated = stdin_is_repeated(session, &all, SIZE_MAX);
    free(files);
    return repeated;
}

static int parse_request(struct report_request *r, const struct session *session,
                         const struct arguments *args)
{
    const struct option_value *against = &args->values[OPT_AGAINST], *programs = &args->values[OPT_BINARY];
    r->base = request_of(session, args);
    r->threads = (uint32_t)option_number(args, OPT_THREADS, 0);
    r->flags = option_flag(args, OPT_CS) ? APF_REPORT_CS : 0;
    r->format = report_format_of(args);
    r->format.is_report = true;
    if (args->n_files == 0 && programs->n_list == 0)
        return report_wrong(session, args, "a PROFILE is required, or a program: --binary=PROGRAM");
    if (!r->format.markdown && place_is_terminal(r->base.output))
        return report_wrong(session, args,
                            "a page is for a browser: give -o report.html, or --markdown for the terminal");
    if (stdin_is_needed_twice(session, args) || place_is_read(session, args, SIZE_MAX))
        return session->persona->usage_exit;
    r->n_programs = programs->n_list;
    r->programs = stream_inputs(session, programs->list, programs->n_list);
    if (!are_there(session, args->files, args->n_files) ||
        !are_there(session, against->list, against->n_list))
        return EXIT_DATA;
    r->files.find = r->against.find = apf_report_paths;
    struct arguments bases = *args; /* they are found as profiles are */
    bases.files = against->list;
    bases.n_files = against->n_list;
    int code = bases.n_files ? file_list_parse(&r->against, session, &bases) : 0;
    if (code == 0 && args->n_files)
        code = file_list_parse(&r->files, session, args);
    if (code == 0 && !r->format.title)
        r->format.title = r->title = title_of(r, args);
    return code;
}

/* Warns of profiles that were not used as a whole. */
static void report_losses(const struct session *session, const struct apf_report *report)
{
    struct apf_report_loss loss;
    char name[1024], why[1024];
    for (size_t i = 0; i < MOST_LOSSES && apf_report_loss(report, i, &loss) == APF_OK; i++)
        report_warning(session, printable(name, sizeof name, loss.name), "not used, or only in part: %s",
                       printable(why, sizeof why, loss.why));
    if (apf_report_losses(report) > MOST_LOSSES)
        report_warning(session, NULL, "%zu profiles were not used, or only in part: the report lists them",
                       apf_report_losses(report));
}

static void report_notes(const struct session *session, const struct apf_report *report)
{
    char text[1024];
    struct apf_str note;
    for (size_t i = 0; apf_report_note(report, i, &note) == APF_OK; i++)
        report_note(session, "%s", printable(text, sizeof text, note));
}

static int make_report(struct apf_report **report, const struct report_request *r,
                       struct demangler *demangler)
{
    const struct session *session = r->base.session;
    struct findings findings = {session, {0}, r->base.quiet, r->format.plain_names ? NULL : demangler};
    struct apf_options common = r->base.limits;
    struct apf_report_options options = {.size = sizeof options,
                                         .options = &common,
                                         .profiles = r->files.data,
                                         .n_profiles = r->files.n,
                                         .base = r->against.data,
                                         .n_base = r->against.n,
                                         .programs = r->programs,
                                         .n_programs = r->n_programs,
                                         .flags = r->flags};
    struct apf_error error = {0};
    common.threads = r->threads;
    common.diag = findings_print;
    common.user = &findings;
    report_format_set(&r->format, &options, demangler, session);
    progress_begin(&r->base, &common);
    int code = apf_report_new(report, &options, &error);
    progress_end(session);
    if (code == APF_OK) {
        findings_rest(&findings);
        report_losses(session, *report);
        report_notes(session, *report);
        return 0;
    }
    report_failed_call(session, NULL, r->base.output, &error);
    if (error.code == APF_ARGUMENT && strcmp(error.where, r->n_programs ? "apf_report_options.programs.kinds"
                                                                        : "apf_report_options.programs") == 0)
        report_note(session, "give the program with --binary=PROGRAM");
    if (r->files.n == 1 || error.code == APF_MISSING_CORRELATION)
        advise(session, r->files.n ? stream_path(&r->files.data[0]) : "-", &error);
    return EXIT_DATA;
}

int cmd_report(const struct session *session, const struct arguments *args)
{
    struct report_request r = {0};
    struct demangler demangler = {0};
    struct apf_report *report = NULL;
    int code = parse_request(&r, session, args);
    const uint64_t most = r.base.limits.max_bytes; /* a report looks at its inputs several times */
    if (code == 0 && (!streams_keep(session, r.files.data, r.files.n, most) ||
                      !streams_keep(session, r.against.data, r.against.n, most) ||
                      !streams_keep(session, r.programs, r.n_programs, most)))
        code = EXIT_DATA;
    if (code == 0)
        code = make_report(&report, &r, &demangler);
    if (code == 0)
        code = report_format_write(&r.format, session, report, r.base.output);
    apf_report_free(report);
    demangler_free(&demangler);
    free(r.programs);
    free(r.title);
    file_list_free(&r.files);
    file_list_free(&r.against);
    return code;
}
