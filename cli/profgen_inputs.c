/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profgen_inputs.h"

#include <stdlib.h>
#include <string.h>

#include "detect_again.h"
#include "memory.h"
#include "profgen_print.h"
#include "report.h"

/* What profgen reads, and the options for it. */
static const struct {
    uint32_t file;   /* enum apf_file_kind */
    uint32_t wanted; /* enum apf_profgen_input */
    const char *phrase;
} readable[] = {
    {APF_KIND_PERF_DATA, APF_PROFGEN_PERF_DATA, "a recording of perf: give it with --perfdata"},
    {APF_KIND_PERF_SCRIPT, APF_PROFGEN_PERF_SCRIPT, "the output of perf script: give it with --perfscript"},
    {APF_KIND_SAMPLE_TEXT, APF_PROFGEN_SAMPLE, "a sample profile: give it with --llvm-sample-profile"},
    {APF_KIND_SAMPLE_BINARY, APF_PROFGEN_SAMPLE, "a sample profile: give it with --llvm-sample-profile"},
};

/* Says which option is for a file that was given with another one. */
static void suggest_option(const struct session *session, enum apf_profgen_input kind,
                           const struct apf_input *input)
{
    struct apf_file_info info = {.size = sizeof info};
    struct apf_input found;
    if (kind == APF_PROFGEN_ACCESSES || !detect_again(session, input->path, &found, &info))
        return;
    for (size_t i = 0; i < sizeof readable / sizeof *readable; i++)
        if (info.kind == readable[i].file && kind != readable[i].wanted)
            report_note(session, "it is %s", readable[i].phrase);
}

/* Reports why an input cannot be read. What is not recorded in it is a program, except accesses to data. */
static int report_input(const struct profgen_inputs *inputs, size_t i,
                        const struct profgen_programs *programs, size_t at_fault,
                        const struct session *session, const struct apf_error *error)
{
    const struct apf_input *input = &inputs->list[i];
    const bool missing = error->code == APF_NOT_RECORDED && at_fault < programs->n &&
                         strcmp(error->where, "profgen.accesses") != 0;
    int result =
        exit_code(session, missing ? programs->list[at_fault].input.path : input->path, error->code, error);
    if (missing && inputs->n > 1)
        report_note(session, "the input that this is about: %s", shown_name(session, input->path, false));
    if (!missing) /* what could be read was given with the right option */
        suggest_option(session, inputs->kind, input);
    return result;
}

/* Warns of what the last input has added to what became of samples; `before` is that of each program before it. */
static void warn_of_input(const struct profgen_inputs *inputs, size_t i,
                          const struct profgen_programs *programs, const struct session *session,
                          const struct apf_profgen_funnel *before)
{
    const char *name = shown_name(session, inputs->list[i].path, false);
    profgen_warn_of_input(session, name, &before[0], apf_profgen_funnel(programs->list[0].profgen));
    for (size_t k = 0; k < programs->n; k++)
        profgen_warn_of_match(session, programs->list[k].input.path, inputs->n > 1 ? name : NULL, &before[k],
                              apf_profgen_funnel(programs->list[k].profgen));
}

int profgen_inputs_read(const struct profgen_inputs *inputs, const struct profgen_programs *programs,
                        const struct request *request)
{
    struct apf_profgen **handles = profgen_programs_handles(programs);
    struct apf_profgen_funnel *before = checked_realloc(NULL, programs->n, sizeof *before);
    int result = 0;
    for (size_t i = 0; result == 0 && i < inputs->n; i++) {
        struct apf_error error;
        size_t at_fault = 0;
        for (size_t k = 0; k < programs->n; k++)
            before[k] = *apf_profgen_funnel(handles[k]);
        int code =
            apf_profgen_read_all(handles, programs->n, inputs->kind, &inputs->list[i], 1, &at_fault, &error);
        if (code != APF_OK)
            result = report_input(inputs, i, programs, at_fault, request->session, &error);
        else if (!request->quiet)
            warn_of_input(inputs, i, programs, request->session, before);
    }
    free(handles);
    free(before);
    return result;
}
