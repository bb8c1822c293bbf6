/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "advice.h"

#include <string.h>

#include <anyprof/jobs.h>

#include "command.h"
#include "detect_again.h"
#include "request.h"

#define LINES_TO_TELL 10

static const char *packing_of(const struct apf_file_info *info)
{
    return info->compression == APF_KIND_GZIP   ? " in a gzip file"
           : info->compression == APF_KIND_ZSTD ? " in a zstd file"
                                                : "";
}

/* Any text, and any JSON, looks like a profile until it is read. */
static const char *find_text_hint(const struct apf_input *input, struct apf_file_info *info)
{
    struct apf_info *facts;
    const char *hint = NULL;
    if ((info->kind != APF_KIND_INSTR_TEXT && info->kind != APF_KIND_INSTR_JSON) ||
        apf_info_open(&facts, input, 1, NULL, NULL) != APF_OK)
        return NULL;
    const struct apf_file_info *read = apf_info_file(facts, 0)->file;
    if (read->kind == APF_KIND_UNKNOWN)
        hint = "it is no profile; give .profraw, .profdata or .proftext files instead";
    else if ((hint = apf_file_hint(read)) != NULL)
        info->kind = read->kind;
    apf_info_close(facts);
    return hint;
}

/* Finds out what a file is whose error may be that it is no profile. NULL: there is nothing to say. */
static const char *find_hint(const char *path, const struct apf_error *error, struct apf_file_info *info)
{
    struct apf_input input = apf_input_file(path);
    bool unknown = error->code == APF_UNRECOGNIZED_FORMAT;
    const char *hint;
    /* A text that is no profile has its error in the first lines. */
    if ((!unknown && (error->line == 0 || error->line > LINES_TO_TELL)) || !detect_again(path, info))
        return NULL;
    if (apf_file_kind_is_sample(info->kind) && error->code >= APF_SAMPLE_UNRECOGNIZED)
        return NULL; /* it was read as what it is */
    hint = apf_file_hint(info);
    return hint ? hint : find_text_hint(&input, info);
}

bool advice_is_other(const char *path, const struct apf_error *error)
{
    struct apf_file_info info = {.size = sizeof info};
    return find_hint(path, error, &info) != NULL;
}

void advise(const struct session *session, const char *path, const struct apf_error *error)
{
    struct apf_file_info info = {.size = sizeof info};
    if (error->code == APF_MISSING_CORRELATION && !HAS_ELF)
        report_note(session,
                    "its functions are described in the program that wrote it, which this anyprof cannot "
                    "read: build it with -DANYPROF_ELF=ON");
    else if (error->code == APF_MISSING_CORRELATION)
        report_note(session,
                    "its functions are described in the program that wrote it: %s --debug-info=PROGRAM "
                    "(lightweight instrumentation) or --binary-file=PROGRAM (binary correlation)",
                    session->completes ? "give" : "merge it with");
    const char *hint = find_hint(path, error, &info);
    if (hint)
        report_note(session, "%s is %s%s: %s", path, apf_file_kind_name(info.kind), packing_of(&info), hint);
    else if (error->code == APF_UNRECOGNIZED_FORMAT && strcmp(path, "-") != 0)
        report_note(session, "instrumentation profiles are .profraw, .profdata and .proftext files");
}
