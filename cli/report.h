/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Lines on stderr, in the shapes of LLVM's tools: "error: FILE: text". */
#ifndef CLI_REPORT_H
#define CLI_REPORT_H

#include <anyprof/error.h>

#include "session.h"

struct arguments;

#if defined(__GNUC__)
#define CLI_PRINTF(text, first) __attribute__((format(printf, text, first)))
#else
#define CLI_PRINTF(text, first)
#endif

/* "FILE: " is missing where `file` is NULL or empty. Errors have the shape of the tool whose name the program has. */
CLI_PRINTF(3, 4) void report_error(const struct session *session, const char *file, const char *format, ...);
CLI_PRINTF(3, 4)
void report_warning(const struct session *session, const char *file, const char *format, ...);
CLI_PRINTF(2, 3) void report_note(const struct session *session, const char *format, ...);
/* "PROGRAM: text", without a word in front, as LLVM reports a wrong command line. */
CLI_PRINTF(2, 3) void report_usage(const struct session *session, const char *format, ...);
/* Reports what is wrong with the command's arguments; returns the exit code. */
int report_wrong(const struct session *session, const struct arguments *args, const char *wrong);
/* Reports too few positional arguments in LLVM's words, "Must specify WHAT"; returns the exit code. */
int report_too_few(const struct session *session, const char *what);
/* Reports a command or option that this build lacks; returns the exit code. */
int report_absent(const struct session *session, const char *what);
/* What messages call a file: "-" is standard output or standard input, and an empty name is shown, but not
 * under the name of an LLVM tool. */
const char *shown_name(const struct session *session, const char *file, bool output);
/* Reports "error: FILE: " and the text of an errno; the file is an input. */
void report_errno(const struct session *session, const char *file, int sys_errno);
/* Notes what can be done after a failure of a library call, if that is known. */
void report_next_step(const struct session *session, const char *file, const struct apf_error *error);
/* Reports a failure of a library call. */
void report_failure(const struct session *session, const char *file, const struct apf_error *error);
/* Reports a failure of a library call that reads `input` and writes `output`. The message names the file that the
 * error is about, and no file when the error is about an option. Without `input` it is the file that the error has. */
void report_failed_call(const struct session *session, const char *input, const char *output,
                        const struct apf_error *error);
/* The exit code for the result `code` of a library call; a failure is reported as by the functions above. */
int exit_code(const struct session *session, const char *file, int code, const struct apf_error *error);
int exit_code_of_call(const struct session *session, const char *input, const char *output, int code,
                      const struct apf_error *error);

/* Text from a file, safe for a terminal: control characters and marks of direction become \xNN. Cut when the buffer
 * is too small. */
const char *printable(char *buffer, size_t size, struct apf_str text);

#endif
