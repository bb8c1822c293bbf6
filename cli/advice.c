/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "advice.h"

#include <string.h>

#include <anyprof/jobs.h>

#include "command.h"
#include "request.h"

#define LINES_TO_TELL 10

static const char *packing_of(const struct apf_file_info *info)
{
    return info->compression == APF_KIND_GZIP   ? " in a gzip file"
           : info->compression == APF_KIND_ZSTD ? " in a zstd file"
                                                : "";
}

/* Finds out what a file is whose error may be that it is no profile. NULL: there is nothing to say. */
static const char *find_hint(const char *path, const struct apf_error *error, struct apf_file_info *info)
{
    struct apf_input input = apf_input_file(path);
    bool unknown = error->code == APF_UNRECOGNIZED_FORMAT;
    /* Any text looks like a text profile until its first lines, without empty ones, are parsed. */
    if ((!unknown && (error->line == 0 || error->line > LINES_TO_TELL)) || strcmp(path, "-") == 0)
        return NULL;
    return apf_file_detect(&input, NULL, info, NULL) == APF_OK ? apf_file_hint(info) : NULL;
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
