/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* anyprof overlap, of sample profiles */
#include <string.h>

#include <anyprof/sample_views.h>

#include "command.h"
#include "sample_file.h"
#include "shown_names.h"

/* Notes which of the two files is of which kind. */
static void report_kinds(const struct session *session, struct apf_sample *const pair[2],
                         const struct apf_sample_overlap_options *options, int code)
{
    const bool probes = code == APF_SAMPLE_PROBE_CONFLICT;
    const uint32_t flag = probes ? APF_SAMPLE_PROBES : APF_SAMPLE_CONTEXTS;
    const unsigned with = apf_sample_info(pair[0])->flags & flag ? 0 : 1;
    report_note(session, "%s is %s, %s is not", options->names[with],
                probes ? "of a program with pseudo probes" : "context-sensitive (CS)",
                options->names[1 - with]);
}

static int compare_pair(const struct request *request, struct apf_sample *const pair[2],
                        const struct apf_sample_overlap_options *options, struct shown_names *names)
{
    struct apf_output output = shown_names_output(names, request->output);
    struct apf_sample_overlap *overlap;
    struct apf_error error;
    int code = apf_sample_overlap_new(&overlap, pair[0], pair[1], options, &error);
    if (code == APF_SAMPLE_PROBE_CONFLICT || code == APF_SAMPLE_CONTEXT_CONFLICT) {
        report_error(request->session, NULL, "%s", error.message); /* of both files */
        if (!request->session->persona->tool)
            report_kinds(request->session, pair, options, code);
        return EXIT_DATA;
    }
    if (code == APF_OK) {
        code = apf_sample_overlap_print(overlap, &output, &error);
        apf_sample_overlap_free(overlap);
    }
    return exit_code(request->session, output.path, code, &error);
}

int overlap_samples(const struct session *session, const struct arguments *args)
{
    struct request request = request_of(session, args);
    struct apf_options common;
    struct apf_sample_read_options read = sample_read_options(&request, args, &common);
    struct apf_sample_overlap_options options = {.size = sizeof options};
    struct apf_sample *pair[2] = {NULL, NULL};
    struct shown_names names;
    int code = EXIT_DATA;
    options.value_cutoff = option_number(args, OPT_VALUE_CUTOFF, UINT64_MAX);
    options.similarity_cutoff = option_number(args, OPT_SIMILARITY_CUTOFF, 0);
    options.function.p = option_text(args, OPT_FUNCTION, "");
    options.function.n = strlen(options.function.p);
    shown_names_begin(&names, session, args);
    options.also = shown_names_part(&names);
    options.user = &names;
    options.flags = request.json ? APF_SAMPLE_OVERLAP_JSON : 0;
    options.names[0] = args->files[0];
    options.names[1] = args->files[1];
    if (!session->persona->tool)
        options_warn(session, args, OPTION_INSTR);
    for (unsigned i = 0; i < 2 && (i == 0 || pair[0]); i++)
        pair[i] = sample_file_open(session, args->files[i], &read);
    if (pair[0] && pair[1])
        code = compare_pair(&request, pair, &options, &names);
    apf_sample_close(pair[0]);
    apf_sample_close(pair[1]);
    shown_names_free(&names);
    return code;
}
