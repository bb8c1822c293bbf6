/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "advice.h"

#include <string.h>

#include <anyprof/jobs.h>

#include "request.h"

static const char *advice_on_elf(uint32_t contents)
{
    if (contents & APF_ELF_INSTRUMENTED)
        return "run it and give the .profraw files that it writes";
    return "it was not built with -fprofile-generate or -fprofile-instr-generate";
}

/* What to do with a file of this kind; NULL: no advice. */
static const char *advice_on(const struct apf_file_info *info)
{
    switch (info->kind) {
    case APF_KIND_SAMPLE_BINARY:
    case APF_KIND_SAMPLE_TEXT:
    case APF_KIND_SAMPLE_GCOV:
        return "use LLVM's own llvm-profdata --sample for it";
    case APF_KIND_MEMPROF_RAW:
        return "it cannot be read: convert it by 'llvm-profdata merge --profiled-binary=PROGRAM' of the LLVM "
               "that built the program, and use the result";
    case APF_KIND_PERF_DATA:
    case APF_KIND_PERF_SCRIPT:
        return "llvm-profgen makes a profile of it";
    case APF_KIND_BZIP2:
    case APF_KIND_XZ:
        return "unpack it first; only gzip and zstd files are read directly";
    case APF_KIND_ELF:
        return advice_on_elf(info->contents);
    default:
        return NULL;
    }
}

static const char *packing_of(const struct apf_file_info *info)
{
    return info->compression == APF_KIND_GZIP   ? " in a gzip file"
           : info->compression == APF_KIND_ZSTD ? " in a zstd file"
                                                : "";
}

void advise(const struct session *session, const char *path, const struct apf_error *error)
{
    struct apf_input input = apf_input_file(path);
    struct apf_file_info info = {.size = sizeof info};
    bool unknown = error->code == APF_UNRECOGNIZED_FORMAT;
    if (error->code == APF_MISSING_CORRELATION)
        report_note(session,
                    "its functions are described in the program that wrote it: %s --debug-info=PROGRAM "
                    "(lightweight instrumentation) or --binary-file=PROGRAM (binary correlation)",
                    session->completes ? "give" : "merge it with");
    /* A text sample profile looks like a text profile until its first or second line is parsed. */
    if ((!unknown && error->line != 1 && error->line != 2) || strcmp(path, "-") == 0)
        return;
    if (apf_file_detect(&input, NULL, &info, NULL) != APF_OK)
        return;
    const char *text = advice_on(&info);
    if (text)
        report_note(session, "%s is %s%s: %s", path, apf_file_kind_name(info.kind), packing_of(&info), text);
    else if (unknown)
        report_note(session, "instrumentation profiles are .profraw, .profdata and .proftext files");
}
