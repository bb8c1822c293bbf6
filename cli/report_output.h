/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* How reports look, and writing them: for report, and for merge --html. */
#ifndef CLI_REPORT_OUTPUT_H
#define CLI_REPORT_OUTPUT_H

#include <anyprof/report.h>

#include "demangle.h"
#include "options.h"
#include "request.h"

struct merge_outcome;

struct report_format {
    const char *title; /* NULL: one that is made of the profiles' names */
    bool markdown;     /* else HTML */
    bool plain_names;  /* not demangled */
    bool is_report;    /* which may be either */
};

struct report_format report_format_of(const struct arguments *args);
/* Sets the title, and how names are shown. demangler_free must follow. */
void report_format_set(const struct report_format *f, struct apf_report_options *options,
                       struct demangler *demangler, const struct session *session);
/* Returns the exit code. */
int report_format_write(const struct report_format *f, const struct session *session,
                        const struct apf_report *report, const char *path);
/* Writes a comparison, one of which is NULL, of the files of these names as Markdown, with at most so many functions;
 * 0: all. Returns the exit code. */
int report_write_diff(const struct report_format *format, const struct request *request,
                      const struct apf_diff *diff, const struct apf_sample_diff *samples,
                      const char *const names[2], uint64_t most);
/* Writes the report of a merge as a page; plain_names: names are not demangled. Returns the exit code. */
int report_write_merge(const struct request *request, const char *path, bool plain_names,
                       const struct merge_outcome *outcome);

#endif
