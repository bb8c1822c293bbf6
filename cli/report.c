/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "report.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "progress.h"

/* The colours of LLVM's WithColor. */
#define RED "\033[0;1;31m"
#define MAGENTA "\033[0;1;35m"
#define BLACK "\033[0;1;30m"
#define PLAIN "\033[0m"

#define LONGEST 4096u

/* What is said, without characters that would move the cursor: names and keys may come from hostile files. */
CLI_PRINTF(2, 0) static const char *format_text(char text[4 * LONGEST], const char *format, va_list args)
{
    char raw[LONGEST];
    int n = vsnprintf(raw, sizeof raw, format, args);
    struct apf_str all = {raw, n < 0 ? 0 : strlen(raw)};
    return printable(text, 4 * LONGEST, all);
}

/* One line in one call, so that lines of several processes do not mix. */
CLI_PRINTF(4, 0)
static void line(const char *before, const char *word, const char *file, const char *format, va_list args)
{
    char buffer[4 * LONGEST];
    const char *text = format_text(buffer, format, args);
    const char *plain = *before ? PLAIN : "";
    bool named = file && *file;
    fprintf(stderr, "%s%s%s%s%s%s\n", before, word, plain, named ? file : "", named ? ": " : "", text);
}

/* "NAME: 'FILE': text." */
CLI_PRINTF(3, 0)
static void plain_line(const struct session *session, const char *file, const char *format, va_list args)
{
    char buffer[4 * LONGEST];
    const char *text = format_text(buffer, format, args);
    const char *program = session->persona->program;
    if (file && *file)
        fprintf(stderr, "%s: '%s': %s.\n", program, file, text);
    else
        fprintf(stderr, "%s: %s.\n", program, text);
}

void report_error(const struct session *session, const char *file, const char *format, ...)
{
    va_list args;
    progress_hide(session->progress);
    va_start(args, format);
    if (session->persona->tool && session->persona->tool->plain_errors)
        plain_line(session, file, format, args);
    else
        line(session->color ? RED : "", "error: ", file, format, args);
    va_end(args);
}

void report_warning(const struct session *session, const char *file, const char *format, ...)
{
    va_list args;
    progress_hide(session->progress);
    va_start(args, format);
    line(session->color ? MAGENTA : "", "warning: ", file, format, args);
    va_end(args);
}

void report_note(const struct session *session, const char *format, ...)
{
    va_list args;
    progress_hide(session->progress);
    va_start(args, format);
    line(session->color ? BLACK : "", "note: ", NULL, format, args);
    va_end(args);
}

void report_usage(const struct session *session, const char *format, ...)
{
    va_list args;
    progress_hide(session->progress);
    va_start(args, format);
    line("", "", session->persona->program, format, args);
    va_end(args);
}

int report_wrong(const struct session *session, const struct arguments *args, const char *wrong)
{
    report_usage(session, "%s: %s.  Try: '%s %s --help'", args->command->name, wrong,
                 session->persona->invoked, args->command->name);
    return session->persona->usage_exit;
}

void report_errno(const struct session *session, const char *file, int sys_errno)
{
    report_error(session, file, "%s", strerror(sys_errno));
}

void report_failure(const struct session *session, const char *file, const struct apf_error *error)
{
    report_error(session, file, "%s", error->message);
}

void report_failed_call(const struct session *session, const char *input, const char *output,
                        const struct apf_error *error)
{
    const char *file = error->subject == APF_SUBJECT_OPTION   ? NULL
                       : error->subject == APF_SUBJECT_OUTPUT ? output
                                                              : input;
    report_failure(session, file, error);
}

const char *printable(char *buffer, size_t size, struct apf_str text)
{
    size_t used = 0;
    for (size_t i = 0; i < text.n && used + 5 <= size; i++) {
        unsigned char c = (unsigned char)text.p[i];
        if (c < 0x20 || c == 0x7f)
            used += (size_t)snprintf(buffer + used, size - used, "\\x%02x", c);
        else
            buffer[used++] = (char)c;
    }
    buffer[used] = '\0';
    return buffer;
}
