/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "next_step.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include <anyprof/jobs.h>

/* What a command expects that found something else; NULL: the message says it. */
static const char *find_expected(const struct apf_error *error)
{
    switch (error->code) {
    case APF_BAD_ELF:
        return "a program, a shared library or an object file";
    case APF_NO_BAT:
        return "a program that BOLT wrote, or a section .note.bolt_bat";
    case APF_BAD_FDATA:
        return error->line == 1 ? "a profile of BOLT, fdata or YAML" : NULL;
    case APF_BAD_SAMPLES:
        return error->line == 1 ? "pre-aggregated samples, or the output of perf script" : NULL;
    default:
        return NULL;
    }
}

/* Says what the file is, if that is known and not what the command expects. */
static bool name_kind(char *to, size_t size, const char *file, const char *expected)
{
    struct apf_file_info info = {.size = sizeof info};
    struct apf_input input = apf_input_file(file);
    if (!file || strcmp(file, "-") == 0 || apf_file_detect(&input, NULL, &info, NULL) != APF_OK ||
        info.kind == APF_KIND_UNKNOWN || info.kind == APF_KIND_ELF)
        return false;
    snprintf(to, size, "%s is %s: give %s", file, apf_file_kind_name(info.kind), expected);
    return true;
}

bool next_step(char *to, size_t size, const char *file, const struct apf_error *error)
{
    bool output = error->subject == APF_SUBJECT_OUTPUT;
    const char *expected = find_expected(error), *step = NULL;
    if (expected)
        return name_kind(to, size, file, expected);
    if (output && error->sys_errno == ENOENT)
        step = "the directory of the output does not exist: create it first";
    else if (output && error->sys_errno == EISDIR)
        step = "give the name of a file in this directory";
    else if (error->sys_errno == EISDIR)
        step = "merge, info and check take directories, other commands take files";
    snprintf(to, size, "%s", step ? step : "");
    return step != NULL;
}
