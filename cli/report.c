/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "report.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "command.h"
#include "kept_messages.h"
#include "next_step.h"
#include "progress.h"

/* The colours of LLVM's WithColor. */
#define RED "\033[0;1;31m"
#define MAGENTA "\033[0;1;35m"
#define BLACK "\033[0;1;30m"
#define PLAIN "\033[0m"

#define LONGEST 4096u

/* The message without characters that would move the cursor: names and keys may come from hostile files. */
CLI_PRINTF(2, 0) static const char *format_text(char text[4 * LONGEST], const char *format, va_list args)
{
    char raw[LONGEST];
    int n = vsnprintf(raw, sizeof raw, format, args);
    struct apf_str all = {raw, n < 0 ? 0 : strlen(raw)};
    return printable(text, 4 * LONGEST, all);
}

/* The name of a file, safe for a terminal; empty for NULL. */
static const char *format_file(char text[4 * LONGEST], const char *file)
{
    struct apf_str name = {file, file ? strlen(file) : 0};
    return printable(text, 4 * LONGEST, name);
}

/* Prints a line by one call, so that lines of several processes do not mix. `color` NULL: none. */
CLI_PRINTF(5, 0)
static void print_line(const struct session *session, const char *color, const char *word, const char *file,
                       const char *format, va_list args)
{
    char buffers[2][4 * LONGEST];
    const char *text = format_text(buffers[0], format, args), *name = format_file(buffers[1], file);
    bool colored = color && session->color;
    const struct tool *tool = session->persona->tool;
    bool named = tool && tool->named_errors && strcmp(word, "error: ") == 0;
    messages_keep(session->kept, name, text);
    progress_hide(session->progress);
    fprintf(stderr, "%s%s%s%s%s%s%s%s\n", named ? tool->name : "", named ? ": " : "", colored ? color : "",
            word, colored ? PLAIN : "", name, *name ? ": " : "", text);
}

/* "NAME: 'FILE': text." */
CLI_PRINTF(3, 0)
static void print_plain_line(const struct session *session, const char *file, const char *format,
                             va_list args)
{
    char buffers[2][4 * LONGEST];
    const char *text = format_text(buffers[0], format, args), *name = format_file(buffers[1], file);
    const char *program = session->persona->program;
    progress_hide(session->progress);
    if (*name)
        fprintf(stderr, "%s: '%s': %s.\n", program, name, text);
    else
        fprintf(stderr, "%s: %s.\n", program, text);
}

void report_error(const struct session *session, const char *file, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    if (session->persona->tool && session->persona->tool->plain_errors)
        print_plain_line(session, file, format, args);
    else
        print_line(session, RED, "error: ", file, format, args);
    va_end(args);
}

void report_warning(const struct session *session, const char *file, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    print_line(session, MAGENTA, "warning: ", file, format, args);
    va_end(args);
}

void report_note(const struct session *session, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    print_line(session, BLACK, "note: ", NULL, format, args);
    va_end(args);
}

void report_usage(const struct session *session, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    print_line(session, NULL, "", session->persona->program, format, args);
    va_end(args);
}

int report_wrong(const struct session *session, const struct arguments *args, const char *wrong)
{
    const struct persona *persona = session->persona;
    if (persona->tool && (persona->tool->command || persona->tool->group)) /* the tool is the command */
        report_usage(session, "%s.  Try: '%s --help'", wrong, persona->invoked);
    else
        report_usage(session, "%s: %s.  Try: '%s %s --help'", args->command->name, wrong, persona->invoked,
                     args->command->name);
    return session->persona->usage_exit;
}

int report_too_few(const struct session *session, const char *what)
{
    report_usage(session, "Not enough positional command line arguments specified!");
    fprintf(stderr, "Must specify %s: See: %s --help\n", what, session->persona->invoked);
    return session->persona->usage_exit;
}

int report_absent(const struct session *session, const char *what)
{
    report_error(
        session, NULL,
        "%s is not in this anyprof, which was built for instrumentation profiles alone: build it with "
        "-DANYPROF_ELF=ON",
        what);
    return session->persona->usage_exit;
}

const char *shown_name(const struct session *session, const char *file, bool output)
{
    if (!file || session_is_llvm(session))
        return file;
    if (!*file) /* a variable of a script is empty, perhaps */
        return "''";
    if (strcmp(file, "-") != 0)
        return file;
    return output ? "standard output" : "standard input";
}

void report_errno(const struct session *session, const char *file, int sys_errno)
{
    report_error(session, shown_name(session, file, false), "%s", strerror(sys_errno));
}

void report_next_step(const struct session *session, const char *file, const struct apf_error *error)
{
    char step[LONGEST];
    if (!session_is_llvm(session) && next_step(step, sizeof step, session, file, error))
        report_note(session, "%s", step);
}

void report_failure(const struct session *session, const char *file, const struct apf_error *error)
{
    report_error(session, shown_name(session, file, error->subject == APF_SUBJECT_OUTPUT), "%s",
                 error->message);
    report_next_step(session, file, error);
}

void report_failed_call(const struct session *session, const char *input, const char *output,
                        const struct apf_error *error)
{
    const char *file = error->subject == APF_SUBJECT_OPTION   ? NULL
                       : error->subject == APF_SUBJECT_OUTPUT ? output
                       : input || !*error->file               ? input
                                                              : error->file;
    report_failure(session, file, error);
}

int exit_code(const struct session *session, const char *file, int code, const struct apf_error *error)
{
    if (code != APF_OK)
        report_failure(session, file, error);
    return code == APF_OK ? 0 : EXIT_DATA;
}

int exit_code_of_call(const struct session *session, const char *input, const char *output, int code,
                      const struct apf_error *error)
{
    if (code != APF_OK)
        report_failed_call(session, input, output, error);
    return code == APF_OK ? 0 : EXIT_DATA;
}

const char *printable(char *buffer, size_t size, struct apf_str text)
{
    (void)apf_text_escape(text, buffer, size);
    return buffer;
}
