/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* anyprof lookup, of sample profiles */
#include <string.h>

#include <anyprof/sample_lookup.h>
#include <anyprof/sample_views.h>

#include "advice.h"
#include "command.h"
#include "nearest_function.h"
#include "sample_file.h"
#include "streams.h"

static int print_functions(const struct request *request, const struct apf_sample *found)
{
    struct apf_sample_print_options options = {.size = sizeof options};
    struct apf_output output = apf_output_file(request->output);
    struct apf_error error;
    int code = request->json ? apf_sample_write_json(found, &output, &error)
                             : apf_sample_print(found, &options, &output, &error);
    return exit_code(request->session, output.path, code, &error);
}

/* Follows the report that there is no such function. Reads the whole profile, if it can be read once more. */
static void report_near_names(const struct session *session, const char *path, struct apf_str name,
                              const struct apf_sample_read_options *read)
{
    struct apf_input input = stream_input(session, path);
    struct apf_sample_read_options options = *read;
    struct apf_options common = *read->options;
    struct apf_sample *sample;
    common.diag = NULL; /* the lookup has printed what there is to say */
    options.options = &common;
    if (apf_sample_open(&sample, &input, &options, NULL) == APF_OK)
        nearest_sample_report(session, path, sample, name);
    apf_sample_close(sample);
}

int lookup_samples(const struct session *session, const struct arguments *args)
{
    struct request request = request_of(session, args);
    struct apf_options common;
    struct apf_sample_read_options read = sample_read_options(&request, args, &common);
    struct apf_input input = stream_input(session, args->files[0]);
    struct apf_str name = {args->files[1], strlen(args->files[1])};
    struct apf_sample_lookup *lookup = NULL;
    const struct apf_sample *found;
    struct apf_error error;
    options_warn(session, args, OPTION_INSTR);
    int code = apf_sample_lookup_open(&lookup, &input, &read, &error);
    if (code == APF_OK)
        code = apf_sample_lookup_find(lookup, name, &found, &error);
    if (code == APF_OK) {
        code = print_functions(&request, found);
    } else {
        report_failure(session, args->files[0], &error);
        if (!lookup)
            advise(session, args->files[0], &error);
        else if (code == APF_UNKNOWN_FUNCTION)
            report_near_names(session, args->files[0], name, &read);
        code = EXIT_DATA;
    }
    apf_sample_lookup_close(lookup);
    return code;
}
