/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* How reports look, and writing them: for report, and for merge --html. */
#ifndef CLI_REPORT_OUTPUT_H
#define CLI_REPORT_OUTPUT_H

#include <anyprof/report.h>

#include "demangle.h"
#include "options.h"

struct report_format {
    const char *title; /* NULL: one that is made of the profiles' names */
    bool markdown;     /* else HTML */
    bool plain_names;  /* not demangled */
};

struct report_format report_format_of(const struct arguments *args);
/* Sets the title, and how names are shown. demangler_free must follow. */
void report_format_set(const struct report_format *f, struct apf_report_options *options,
                       struct demangler *demangler);
/* Returns the exit code. */
int report_format_write(const struct report_format *f, const struct session *session,
                        const struct apf_report *report, const char *path);
/* The inputs with the paths of an option, for free(). */
struct apf_input *inputs_of(const struct option_value *paths);

#endif
