/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "next_step.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "command.h"
#include "detect_again.h"
#include "parent_directory.h"

/* What a command expects that found something else; NULL: the message says it. */
static const char *find_expected(const struct apf_error *error)
{
    switch (error->code) {
    case APF_BAD_ELF:
        return "a program, a shared library or an object file";
    case APF_NO_BAT:
        return "a program that BOLT wrote, or a section .note.bolt_bat";
    case APF_BAD_FDATA:
        return "a profile of BOLT, fdata or YAML";
    case APF_BAD_RECORDING:
        return "a recording of perf (perf.data)";
    case APF_BAD_SAMPLES:
        return "a text with samples";
    default:
        return NULL;
    }
}

/* Whether a file of this kind may be what the command expects. A text is something else if its first line is wrong;
 * the text that is wrong may be what perf printed of a recording. */
static bool may_be_expected(const struct session *session, uint32_t kind, const struct apf_error *error)
{
    bool text = kind == APF_KIND_INSTR_TEXT || kind == APF_KIND_PERF_SCRIPT;
    if (error->code == APF_BAD_SAMPLES && (kind == APF_KIND_PERF_DATA || kind == APF_KIND_PERF_SCRIPT))
        return true; /* the command itself says which option is for it */
    if (error->code == APF_BAD_FDATA || error->code == APF_BAD_SAMPLES)
        return (text && error->line != 1) ||
               kind == (error->code == APF_BAD_FDATA ? APF_KIND_BOLT_FDATA : APF_KIND_BOLT_SAMPLES);
    if (error->code == APF_BAD_RECORDING) /* the command itself says what to do about text */
        return kind == APF_KIND_PERF_DATA || text ||
               (kind == APF_KIND_BOLT_SAMPLES && session->command->bit == COMMAND_BIT(BOLT_CONVERT));
    return kind == APF_KIND_ELF;
}

/* Says what the file is, if that is known and not what the command expects. */
static bool name_kind(char *to, size_t size, const struct session *session, const char *file,
                      const struct apf_error *error, const char *expected)
{
    struct apf_file_info info = {.size = sizeof info};
    struct apf_input input;
    if (!file || !detect_again(session, file, &input, &info) || info.kind == APF_KIND_UNKNOWN ||
        may_be_expected(session, info.kind, error))
        return false;
    snprintf(to, size, "%s is %s: give %s", file, apf_file_kind_name(info.kind), expected);
    return true;
}

bool next_step(char *to, size_t size, const struct session *session, const char *file,
               const struct apf_error *error)
{
    bool output = error->subject == APF_SUBJECT_OUTPUT;
    const char *expected = find_expected(error), *step = NULL;
    struct stat directory;
    if (expected)
        return name_kind(to, size, session, file, error, expected);
    if (output && error->sys_errno == ENOENT)
        step = !file || parent_directory_find(file, &directory)
                   ? "no file can be made in this directory"
                   : "the directory of the output does not exist: create it first";
    else if (output && error->sys_errno == EISDIR)
        step = "give the name of a file in this directory";
    else if (error->code == APF_LIMIT && strcmp(error->where, "file.size") == 0)
        step = "--max-input-size sets the limit";
    else if (error->code == APF_UNSUPPORTED && strcmp(error->where, "profgen.debug_file") == 0)
        step =
            "--debug-binary=FILE names the debug file; --debug-dir=DIR is searched as /usr/lib/debug is, for "
            "DIR/.build-id/XX/YYYY.debug by the build id XXYYYY and for DIR/DIRECTORY-OF-THE-PROGRAM/LINK";
    else if (error->code == APF_UNSUPPORTED && strcmp(error->where, "partial.limits") == 0)
        step = "give the limits with which it was made: --temporal-profile-trace-reservoir-size=N and "
               "--temporal-profile-max-trace-length=N";
    else if (error->code == APF_NO_PROBES && session->command->bit == COMMAND_BIT(REPORT))
        step =
            "a report about a program alone is about its pseudo probes; give its profiles, too: PROFILE... "
            "--binary=PROGRAM. An instrumented program writes them when it runs";
    else if (error->code == APF_NO_COVERAGE)
        step = "programs have it if they are built with clang -fprofile-instr-generate -fcoverage-mapping, "
               "or with "
               "rustc -C instrument-coverage";
    else if (error->code == APF_UNSUPPORTED && strcmp(error->where, "partial.whole") == 0)
        step = "give the options with which it was made: --profile-isfs, --fs-discriminator-pass=PASS";
    else if (error->code == APF_ARGUMENT && (strcmp(error->where, "apf_report_options.profiles.kinds") == 0 ||
                                             strcmp(error->where, "apf_report_options.base.kinds") == 0))
        step = "give those of one kind by name, or choose from a directory by --include=GLOB";
    else if (error->sys_errno == EISDIR)
        step = "merge, bolt merge, info, check, report and cov --profile take directories; perf info, "
               "profgen --perfdata "
               "and bolt "
               "convert -p take those that perf record --threads wrote";
    snprintf(to, size, "%s", step ? step : "");
    return step != NULL;
}
