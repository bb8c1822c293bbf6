/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "report.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "command.h"
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

/* Prints a line by one call, so that lines of several processes do not mix. `color` NULL: none. */
CLI_PRINTF(5, 0)
static void print_line(const struct session *session, const char *color, const char *word, const char *file,
                       const char *format, va_list args)
{
    char buffer[4 * LONGEST];
    const char *text = format_text(buffer, format, args);
    bool colored = color && session->color, named = file && *file;
    progress_hide(session->progress);
    fprintf(stderr, "%s%s%s%s%s%s\n", colored ? color : "", word, colored ? PLAIN : "", named ? file : "",
            named ? ": " : "", text);
}

/* "NAME: 'FILE': text." */
CLI_PRINTF(3, 0)
static void print_plain_line(const struct session *session, const char *file, const char *format,
                             va_list args)
{
    char buffer[4 * LONGEST];
    const char *text = format_text(buffer, format, args);
    const char *program = session->persona->program;
    progress_hide(session->progress);
    if (file && *file)
        fprintf(stderr, "%s: '%s': %s.\n", program, file, text);
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
    report_usage(session, "%s: %s.  Try: '%s %s --help'", args->command->name, wrong,
                 session->persona->invoked, args->command->name);
    return session->persona->usage_exit;
}

int report_too_few(const struct session *session, const char *what, const char *command)
{
    report_usage(session, "Not enough positional command line arguments specified!");
    fprintf(stderr, "Must specify %s: See: %s%s --help\n", what, session->persona->invoked, command);
    return session->persona->usage_exit;
}

int report_no_samples(const struct session *session)
{
    report_error(session, NULL,
                 "--sample is not supported yet: use LLVM's own llvm-profdata for sample profiles");
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

/* The length of the character at the start of n > 0 bytes if a terminal obeys it: a control character, or in UTF-8 one
 * of U+0080 to U+009F or a mark of direction (U+200E, U+200F, U+202A to U+202E, U+2066 to U+2069). 0: another one. */
static size_t control_character(const char *bytes, size_t n)
{
    const uint8_t *p = (const uint8_t *)bytes;
    if (p[0] < 0x20 || p[0] == 0x7f)
        return 1;
    if (n > 1 && p[0] == 0xc2 && p[1] >= 0x80 && p[1] < 0xa0)
        return 2;
    if (n < 3 || p[0] != 0xe2)
        return 0;
    bool mark = p[1] == 0x80 ? p[2] == 0x8e || p[2] == 0x8f || (p[2] >= 0xaa && p[2] <= 0xae)
                             : p[1] == 0x81 && p[2] >= 0xa6 && p[2] <= 0xa9;
    return mark ? 3 : 0;
}

const char *printable(char *buffer, size_t size, struct apf_str text)
{
    size_t used = 0, control = 0;
    for (size_t i = 0; i < text.n && used + 5 <= size; i++) {
        unsigned char c = (unsigned char)text.p[i];
        if (!control)
            control = control_character(text.p + i, text.n - i);
        if (control && control--)
            used += (size_t)snprintf(buffer + used, size - used, "\\x%02x", c);
        else
            buffer[used++] = (char)c;
    }
    buffer[used] = '\0';
    return buffer;
}
