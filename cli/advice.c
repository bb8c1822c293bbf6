/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "advice.h"

#include <string.h>

#include <anyprof/jobs.h>

#include "command.h"
#include "detect_again.h"
#include "request.h"

#define LINES_TO_TELL 10
#define CORRELATION_OPTIONS                                                                                  \
    "--debug-info=PROGRAM (lightweight instrumentation) or --binary-file=PROGRAM (binary correlation)"

static const char *packing_of(const struct apf_file_info *info)
{
    return info->compression == APF_KIND_GZIP   ? " in a gzip file"
           : info->compression == APF_KIND_ZSTD ? " in a zstd file"
                                                : "";
}

/* What to do with a file that is no instrumentation profile; NULL: there is no advice. That of the library is for
 * merges; BOLT's profiles have other commands to be seen and compared. */
static const char *find_file_hint(const struct session *session, const struct apf_file_info *info)
{
    const uint64_t merges = COMMAND_BIT(MERGE) | COMMAND_BIT(COLLECT);
    const uint64_t compares = COMMAND_BIT(DIFF) | COMMAND_BIT(OVERLAP);
    const bool of_bolt = info->kind == APF_KIND_BOLT_FDATA || info->kind == APF_KIND_BOLT_YAML;
    if (!of_bolt || !session->command || session->command->bit & merges)
        return apf_file_hint(info);
    return session->command->bit & compares
               ? "'anyprof report PROFILE --against=OTHER' compares such profiles"
               : "'anyprof report' and 'anyprof convert --to=csv' show such profiles";
}

/* Any text, and any JSON, looks like a profile until it is read. */
static const char *find_text_hint(const struct session *session, const struct apf_input *input,
                                  struct apf_file_info *info, bool read_samples)
{
    struct apf_info *facts;
    const char *hint = NULL;
    if ((info->kind != APF_KIND_INSTR_TEXT && info->kind != APF_KIND_INSTR_JSON) ||
        apf_info_open(&facts, input, 1, NULL, NULL) != APF_OK)
        return NULL;
    const struct apf_file_info *read = apf_info_file(facts, 0)->file;
    if (read->kind == APF_KIND_UNKNOWN)
        hint = read_samples ? "it is no profile"
                            : "it is no profile; give .profraw, .profdata or .proftext files instead";
    else if ((hint = find_file_hint(session, read)) != NULL)
        info->kind = read->kind;
    apf_info_close(facts);
    return hint;
}

/* Whether the error is that the file is not at all what was expected. A text that is something else has its error in
 * the first lines; texts of BOLT were recognized before they were read. */
static bool is_about_kind(const struct apf_error *error)
{
    const bool recognized =
        error->code == APF_LIMIT || error->code == APF_BAD_FDATA || error->code == APF_BAD_SAMPLES;
    return error->code == APF_UNRECOGNIZED_FORMAT || error->code == APF_SAMPLE_UNRECOGNIZED ||
           (!recognized && error->line != 0 && error->line <= LINES_TO_TELL);
}

/* What to do with a profile of the other family than the one that was read. */
static const char *find_family_hint(const struct session *session, bool read_samples)
{
    if (!session->has_kinds)
        return read_samples ? "this command is for sample profiles"
                            : "this command is for instrumentation profiles";
    if (read_samples)
        return session->kind != KIND_DETECTED ? "leave out --sample" : "give --instr";
    if (session->kind == KIND_MEMORY)
        return "it has no memory profile; leave out --memory";
    return session->kind != KIND_DETECTED && !session->persona->tool ? "leave out --instr" : "give --sample";
}

/* What a file is that may be of the other family, or no profile, and what to do with it. */
struct advice {
    const char *what;
    const char *packing;
    const char *hint;
};

/* Finds out what a file is whose error may be that it is something else. False: there is nothing to say. */
static bool find_advice(struct advice *advice, const struct session *session, const char *path,
                        const struct apf_error *error)
{
    struct apf_file_info info = {.size = sizeof info};
    struct apf_input input;
    bool read_samples = error->code >= APF_SAMPLE_UNRECOGNIZED;
    if (!is_about_kind(error) || !detect_again(session, path, &input, &info))
        return false;
    enum apf_family family = apf_file_family(&input);
    bool samples = family == APF_FAMILY_SAMPLE || apf_file_kind_is_sample((enum apf_file_kind)info.kind);
    if (samples && (read_samples || (error->code == APF_BAD_JSON && session->kind == KIND_DETECTED)))
        return false; /* it was read as what it is */
    if (samples || (read_samples && family == APF_FAMILY_INSTR))
        advice->hint = find_family_hint(session, read_samples);
    else /* the hint for a program says how it writes instrumentation profiles */
        advice->hint =
            read_samples && info.kind == APF_KIND_ELF ? "it is no profile" : find_file_hint(session, &info);
    if (!advice->hint)
        advice->hint = find_text_hint(session, &input, &info, read_samples);
    advice->what = apf_file_kind_name((enum apf_file_kind)info.kind);
    if (family == APF_FAMILY_INSTR && info.kind == APF_KIND_INSTR_TEXT)
        advice->what = "a text instrumentation profile";
    else if (family == APF_FAMILY_INSTR && info.kind == APF_KIND_INSTR_JSON)
        advice->what = "a JSON instrumentation profile";
    advice->packing = packing_of(&info);
    return advice->hint != NULL;
}

bool advice_is_other(const struct session *session, const char *path, const struct apf_error *error)
{
    struct advice advice;
    return find_advice(&advice, session, path, error);
}

void advise(const struct session *session, const char *path, const struct apf_error *error)
{
    struct advice advice;
    if (error->code == APF_MISSING_CORRELATION && !HAS_ELF)
        report_note(session,
                    "its functions are described in the program that wrote it, which this anyprof cannot "
                    "read: build it with -DANYPROF_ELF=ON");
    else if (error->code == APF_MISSING_CORRELATION)
        report_note(session, "its functions are described in the program that wrote it: %s",
                    session->command && session->command->bit == COMMAND_BIT(REPORT) ? "give --binary=PROGRAM"
                    : session->completes ? "give " CORRELATION_OPTIONS
                                         : "merge it with " CORRELATION_OPTIONS);
    if (find_advice(&advice, session, path, error))
        report_note(session, "%s is %s%s: %s", shown_name(session, path, false), advice.what, advice.packing,
                    advice.hint);
    else if (error->code == APF_UNRECOGNIZED_FORMAT && strcmp(path, "-") != 0)
        report_note(session, "instrumentation profiles are .profraw, .profdata and .proftext files");
}
