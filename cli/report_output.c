/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "report_output.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "kept_messages.h"
#include "memory.h"
#include "merge_verdict.h"
#include "places.h"
#include "report.h"
#include "streams.h"

struct report_format report_format_of(const struct arguments *args)
{
    const char *title = option_text(args, OPT_TITLE, "");
    const bool by_name =
        HAS_ELF && !option_flag(args, OPT_JSON) && path_has_end(option_text(args, OPT_OUTPUT, "-"), ".md");
    const struct report_format f = {.title = *title ? title : NULL,
                                    .markdown = by_name || option_flag(args, OPT_MARKDOWN),
                                    .plain_names = option_number(args, OPT_DEMANGLE, 1) == 0};
    return f;
}

void report_format_set(const struct report_format *f, struct apf_report_options *options,
                       struct demangler *demangler, const struct session *session)
{
    options->title = f->title;
    if (f->plain_names)
        return;
    (void)demangler_load(demangler, session);
    options->show_name = demangler_show;
    options->user = demangler;
}

/* Notes that the name of the output is that of another format than it has. */
static void check_ending(const struct report_format *f, const struct session *session, const char *path)
{
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    const bool is_page = path_has_end(name, ".html") || path_has_end(name, ".htm");
    if (!strchr(name, '.') || (f->markdown ? !is_page : is_page))
        return;
    report_note(session, "%s is %s%s", path, f->markdown ? "Markdown" : "a page",
                f->is_report  ? ": reports are pages (.html) or Markdown (.md)"
                : f->markdown ? ": 'anyprof report --against=A B' writes pages"
                              : ": names of pages end with .html");
}

int report_format_write(const struct report_format *f, const struct session *session,
                        const struct apf_report *report, const char *path)
{
    const struct apf_output output = apf_output_file(path);
    struct apf_error error;
    const int code = f->markdown ? apf_report_write_markdown(report, &output, &error)
                                 : apf_report_write_html(report, &output, &error);
    if (code == APF_OK)
        check_ending(f, session, path);
    return exit_code(session, path, code, &error);
}

/* Writes a report, unless making it has failed with an exit code, and frees it. Returns the exit code. */
static int conclude(const struct report_format *f, const struct session *session, struct apf_report *report,
                    const char *path, struct demangler *demangler, int code)
{
    if (code == 0)
        code = report_format_write(f, session, report, path);
    apf_report_free(report);
    demangler_free(demangler);
    return code;
}

/* "b, compared with a", for free(). */
static char *title_of_diff(const struct session *session, const char *const names[2])
{
    static const char between[] = ", compared with ";
    const char *a = shown_name(session, names[0], false), *b = shown_name(session, names[1], false);
    const size_t size = strlen(a) + strlen(b) + sizeof between;
    char *title = (char *)checked_realloc(NULL, size, 1);
    snprintf(title, size, "%s%s%s", b, between, a);
    return title;
}

int report_write_diff(const struct report_format *format, const struct request *request,
                      const struct apf_diff *diff, const struct apf_sample_diff *samples,
                      const char *const names[2], uint64_t most)
{
    struct apf_report_options options = {.size = sizeof options, .max_rows = most ? most : UINT64_MAX};
    struct demangler demangler = {0};
    struct apf_report *report;
    struct apf_error error;
    char *title = title_of_diff(request->session, names);
    report_format_set(format, &options, &demangler, request->session);
    options.title = title;
    int code = diff ? apf_report_of_diff(&report, diff, &options, &error)
                    : apf_report_of_sample_diff(&report, samples, &options, &error);
    free(title);
    code = exit_code(request->session, NULL, code, &error);
    return conclude(format, request->session, report, request->output, &demangler, code);
}

/* "app.profdata: not written", for free(). */
static char *title_of_merge(const struct session *session, const char *output, bool is_written)
{
    const char *name = shown_name(session, output, true), *more = is_written ? "" : ": not written";
    const size_t size = strlen(name) + strlen(more) + 1;
    char *title = (char *)checked_realloc(NULL, size, 1);
    snprintf(title, size, "%s%s", name, more);
    return title;
}

int report_write_merge(const struct request *request, const char *path, bool plain_names,
                       const struct merge_outcome *outcome)
{
    char *title = title_of_merge(request->session, request->output, outcome->end == MERGE_WRITTEN);
    const struct report_format format = {.title = title, .plain_names = plain_names};
    struct apf_report_options options = {.size = sizeof options, .options = &request->limits};
    struct demangler demangler = {0};
    struct apf_report *report;
    struct apf_error error;
    const struct apf_input result = apf_input_file(request->output);
    const struct kept_messages *kept = request->session->kept;
    report_format_set(&format, &options, &demangler, request->session);
    if (kept) {
        options.notes = (const char *const *)kept->list;
        options.n_notes = kept->n;
    }
    if (outcome->end == MERGE_WRITTEN && strcmp(request->output, "-") != 0 && !stream_is(request->output)) {
        options.profiles = &result;
        options.n_profiles = 1;
    }
    options.failure = outcome->end == MERGE_FAILED ? "The merge failed: nothing was written"
                      : outcome->end == MERGE_KEPT
                          ? "Nothing was written, because no input can be merged: an older file stays"
                          : NULL;
    int code = outcome->instr ? apf_report_of_merge(&report, outcome->instr, &options, &error)
                              : apf_report_of_sample_merge(&report, outcome->samples, &options, &error);
    code = exit_code(request->session, NULL, code, &error);
    code = conclude(&format, request->session, report, path, &demangler, code);
    free(title);
    return code;
}
