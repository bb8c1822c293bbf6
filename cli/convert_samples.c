/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* anyprof convert, of sample profiles */
#include <string.h>

#include <anyprof/sample_views.h>
#include <anyprof/sample_write.h>

#include "command.h"
#include "convert_export.h"
#include "convert_names.h"
#include "places.h"
#include "sample_file.h"
#include "write_samples.h"

/* The format that --to names, or the end of the output's name. TO_INDEXED: what suits the target. */
static uint64_t format_of(const struct arguments *args)
{
    const uint64_t to = convert_format(args, true);
    return to == TO_UNKNOWN && option_text(args, OPT_FOR, NULL) ? TO_INDEXED : to;
}

static uint32_t sample_format_of_choice(uint64_t to)
{
    static const uint32_t formats[TO_UNKNOWN] = {[TO_TEXT] = APF_SAMPLE_TEXT,
                                                 [TO_EXTBINARY] = APF_SAMPLE_EXTBINARY,
                                                 [TO_BINARY] = APF_SAMPLE_BINARY,
                                                 [TO_COMPACT] = APF_SAMPLE_COMPACT,
                                                 [TO_GCC] = APF_SAMPLE_GCC};
    return to < TO_UNKNOWN ? formats[to] : 0;
}

/* What is wrong with the command line; NULL: nothing. */
static const char *find_wrong(const struct arguments *args, uint64_t to)
{
    if (to == TO_INDEXED && args->values[OPT_TO].place)
        return "indexed is a format of instrumentation profiles, and this is none: "
               "give --to=extbinary, binary, compbinary, gcc, text, json, " EXPORT_FORMATS;
    if (to == TO_UNKNOWN)
        return "the format of the output is unknown; give --to=extbinary, binary, compbinary, gcc, text, "
               "json, " EXPORT_FORMATS ", or --for=TARGET, or end the name of the output with .afdo, .prof, "
               ".profdata, .proftext, .txt, .gcov, .json, " EXPORT_ENDS;
    if (to == TO_JSON && option_text(args, OPT_FOR, NULL))
        return "--for is not for JSON, which holds the whole profile";
    if (to != TO_JSON && to != TO_TEXT && place_is_terminal(option_text(args, OPT_OUTPUT, "-")))
        return "a binary profile cannot be written to a terminal; give -o FILE, or --to=text";
    return NULL;
}

int convert_samples(const struct session *session, const struct arguments *args)
{
    struct request request = request_of(session, args);
    uint64_t to = format_of(args);
    const char *wrong = find_wrong(args, to);
    struct apf_options common;
    struct apf_error error;
    struct sample_output out;
    if (wrong)
        return report_wrong(session, args, wrong);
    if (convert_replaces(session, args))
        return session->persona->usage_exit;
    options_warn(session, args, OPTION_INSTR);
    int code = to == TO_JSON ? 0 : sample_output_parse(&out, &request, args, sample_format_of_choice(to));
    if (code)
        return code;
    out.named_by_path = !args->values[OPT_TO].place && sample_format_of_choice(to);
    struct apf_sample_read_options options = sample_read_options(&request, args, &common);
    if (request.quiet)
        common.diag = NULL;
    struct apf_sample *sample = sample_file_open(session, args->files[0], &options);
    struct apf_output output = apf_output_file(request.output);
    if (!sample)
        return EXIT_DATA;
    code = to == TO_JSON
               ? exit_code(session, output.path, apf_sample_write_json(sample, &output, &error), &error)
               : sample_output_write(&out, sample, output.path);
    apf_sample_close(sample);
    return code;
}
