/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Lines on stderr, in the shapes of LLVM's tools: "error: FILE: text". */
#ifndef CLI_REPORT_H
#define CLI_REPORT_H

#include <anyprof/error.h>

#include "command.h"

#if defined(__GNUC__)
#define CLI_PRINTF(text, first) __attribute__((format(printf, text, first)))
#else
#define CLI_PRINTF(text, first)
#endif

/* `file` may be NULL or empty: then there is no "FILE: ". Under the name of a tool that has another shape, in that. */
CLI_PRINTF(3, 4) void report_error(const struct session *session, const char *file, const char *format, ...);
CLI_PRINTF(3, 4)
void report_warning(const struct session *session, const char *file, const char *format, ...);
CLI_PRINTF(2, 3) void report_note(const struct session *session, const char *format, ...);
/* "PROGRAM: text", without a word in front: what LLVM says of a wrong command line. */
CLI_PRINTF(2, 3) void report_usage(const struct session *session, const char *format, ...);
/* Says that the command line of a command is wrong, and why; returns the exit code. */
int report_wrong(const struct session *session, const struct arguments *args, const char *wrong);
/* "error: FILE: " and the words for an errno. */
void report_errno(const struct session *session, const char *file, int sys_errno);
/* A failure of a call of the library. */
void report_failure(const struct session *session, const char *file, const struct apf_error *error);
/* A failure of a call that reads `input` and writes `output`: the message names the one that the error is about, and
 * neither where it is about an option. */
void report_failed_call(const struct session *session, const char *input, const char *output,
                        const struct apf_error *error);

/* Text that a file holds, fit for a terminal: control characters become \xNN. Cut when it does not fit. */
const char *printable(char *buffer, size_t size, struct apf_str text);

#endif
