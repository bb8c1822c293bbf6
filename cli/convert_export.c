/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* anyprof convert, into formats that other tools open */
#include "convert_export.h"

#include <inttypes.h>
#include <string.h>

#include <anyprof/bolt.h>
#include <anyprof/export.h>
#include <anyprof/jobs.h>

#include "command.h"
#include "convert_names.h"
#include "correlation.h"
#include "demangle.h"
#include "places.h"
#include "profile_file.h"
#include "sample_file.h"
#include "streams.h"

struct export_request {
    struct request base;
    const char *path;
    struct apf_export_options options;
    struct correlation_request programs;
    struct demangler demangler;
    uint32_t flags; /* APF_FLAG_* */
};

uint32_t convert_export_format(const struct arguments *args)
{
    static const uint32_t formats[TO_UNKNOWN] = {[TO_FOLDED] = APF_EXPORT_FOLDED,
                                                 [TO_SPEEDSCOPE] = APF_EXPORT_SPEEDSCOPE,
                                                 [TO_PPROF] = APF_EXPORT_PPROF,
                                                 [TO_CSV] = APF_EXPORT_CSV};
    const uint64_t to = convert_format(args, false);
    return to < TO_UNKNOWN ? formats[to] : 0;
}

const char *convert_export_only(const struct arguments *args)
{
    const bool any = args->values[OPT_EXPORT_LINES].place || args->values[OPT_DEMANGLE].place ||
                     args->values[OPT_MAX_OUTPUT_SIZE].place || args->values[OPT_CS].place;
    return any ? "--lines, --demangle, --cs and --max-output-size are for folded, speedscope, pprof and csv"
               : NULL;
}

/* The most bytes of the output, by default: stacks repeat the names of their functions, which in hostile profiles makes
 * the output millions of times as large as the input. */
#define MOST_TIMES ((uint64_t)1000)
#define LEAST_LIMIT ((uint64_t)256 << 20)

static uint64_t output_limit(const struct export_request *r, const struct arguments *args)
{
    const struct apf_input input = stream_input(r->base.session, r->path);
    struct apf_file_info file = {.size = sizeof file};
    if (args->values[OPT_MAX_OUTPUT_SIZE].place)
        return option_number(args, OPT_MAX_OUTPUT_SIZE, 0);
    if (apf_file_detect(&input, &r->base.limits, &file, NULL) != APF_OK)
        return LEAST_LIMIT;
    const uint64_t most = file.file_size < UINT64_MAX / MOST_TIMES ? file.file_size * MOST_TIMES : UINT64_MAX;
    return most > LEAST_LIMIT ? most : LEAST_LIMIT;
}

/* ---- the request ---- */

/* What is wrong with the command line; NULL: nothing. */
static const char *find_wrong(const struct arguments *args, uint32_t format)
{
    static const enum option_id options[] = {OPT_FOR, OPT_SPARSE, OPT_KEEP_VTABLE_SYMBOLS,
                                             OPT_MEMPROF_VERSION, OPT_MEMPROF_FULL_SCHEMA};
    if (args->n_files == 0)
        return "a FILE is required";
    for (size_t i = 0; i < sizeof options / sizeof *options; i++)
        if (args->values[options[i]].place)
            return "--for, --sparse, --keep-vtable-symbols and --memprof-... are for profiles that compilers "
                   "read, not for folded, speedscope, pprof and csv";
    if (format == APF_EXPORT_PPROF && place_is_terminal(option_text(args, OPT_OUTPUT, "-")))
        return "pprof's format cannot be written to a terminal; give -o FILE.pb.gz";
    return NULL;
}

/* 0, or an exit code after a report. */
static int parse_request(struct export_request *r, const struct session *session,
                         const struct arguments *args)
{
    const struct place place = {"output", option_text(args, OPT_OUTPUT, "-"), false};
    r->base = request_of(session, args);
    r->options.size = sizeof r->options;
    r->options.format = convert_export_format(args);
    const char *wrong = find_wrong(args, r->options.format);
    if (wrong)
        return report_wrong(session, args, wrong);
    const struct apf_input input = apf_input_file(args->files[0]);
    if (place_is_read(session, args, 0) || place_is_input(session, &place, &input, 1))
        return session->persona->usage_exit;
    r->path = args->files[0];
    r->options.title = r->path;
    r->options.max_bytes = output_limit(r, args);
    r->options.flags = option_flag(args, OPT_EXPORT_LINES) ? APF_EXPORT_BY_LINE : 0;
    r->flags = option_flag(args, OPT_DROP_MEMPROF) ? APF_FLAG_DROP_MEMPROF : 0;
    int code = correlation_parse(&r->programs, session, args);
    if (code == 0 && option_number(args, OPT_DEMANGLE, 0)) {
        code = demangler_load(&r->demangler, session);
        r->options.function_name = demangler_show;
        r->options.names = &r->demangler;
    }
    return code;
}

/* Reports what is not in the output. Returns the exit code. */
static int report_result(const struct export_request *r, int code, const struct apf_export_result *result,
                         const struct apf_error *error)
{
    const struct session *session = r->base.session;
    const bool is_cs = r->options.flags & APF_EXPORT_CS;
    if (code == APF_LIMIT && error->subject == APF_SUBJECT_OUTPUT) {
        report_failed_call(session, NULL, r->base.output, error);
        report_note(session, "--max-output-size=SIZE allows more; %s",
                    r->options.format == APF_EXPORT_FOLDED || r->options.format == APF_EXPORT_CSV
                        ? "speedscope and pprof have each name only once"
                        : "folded stacks without --lines have no lines of code");
        return EXIT_DATA;
    }
    if (code != APF_OK || r->base.quiet)
        return exit_code_of_call(session, r->path, r->base.output, code, error);
    if (result->n_unknown)
        report_warning(session, NULL, "left out: %" PRIu64 " records without counts of code",
                       result->n_unknown);
    if (result->n_other_level)
        report_note(session, "left out: %" PRIu64 " %s record%s; %s", result->n_other_level,
                    is_cs ? "not context-sensitive" : "context-sensitive",
                    result->n_other_level == 1 ? "" : "s",
                    is_cs ? "without --cs they are written" : "--cs writes those instead");
    if (result->n_saturated)
        report_warning(session, NULL,
                       "%" PRIu64 " number%s at 18446744073709551615, the largest one: the sum may be more",
                       result->n_saturated, result->n_saturated == 1 ? " is" : "s are");
    if (result->n_again)
        report_note(session,
                    "left out: %" PRIu64 " inlined function%s whose samples their own profiles have, too",
                    result->n_again, result->n_again == 1 ? "" : "s");
    if (result->divisor != 1)
        report_warning(session, NULL,
                       "all counts are divided by %" PRIu64
                       ", and rounded up: their sum is above 2^63-1, the largest number of pprof's format",
                       result->divisor);
    if (result->n_stacks == 0)
        report_warning(session, NULL, "no function has a count: the output has no stack");
    return 0;
}

/* ---- profiles ---- */

static int export_instr(const struct export_request *r)
{
    const struct apf_output output = apf_output_file(r->base.output);
    struct apf_export_result result = {.size = sizeof result};
    struct apf_options options = profile_options(&r->base);
    struct correlation correlation;
    struct apf_error error;
    int code = correlation_open(&correlation, &options, &r->programs, &r->base);
    if (code)
        return code;
    struct apf_instr *instr = profile_open(&r->base, r->path, options.correlation, r->flags);
    code = EXIT_DATA;
    if (instr && correlation_warn(&correlation))
        code =
            report_result(r, apf_instr_export(instr, &r->options, &output, &result, &error), &result, &error);
    apf_instr_close(instr);
    correlation_close(&correlation);
    return code;
}

static int export_samples(const struct export_request *r, const struct arguments *args)
{
    const struct apf_output output = apf_output_file(r->base.output);
    struct apf_export_result result = {.size = sizeof result};
    struct apf_options common;
    struct apf_error error;
    struct apf_sample_read_options options = sample_read_options(&r->base, args, &common);
    options_warn(r->base.session, args, OPTION_INSTR);
    if (r->base.quiet)
        common.diag = NULL;
    struct apf_sample *sample = sample_file_open(r->base.session, r->path, &options);
    if (!sample)
        return EXIT_DATA;
    const int code = apf_sample_export(sample, &r->options, &output, &result, &error);
    apf_sample_close(sample);
    return report_result(r, code, &result, &error);
}

#ifndef ANYPROF_WITHOUT_ELF
bool convert_export_is_bolt(const struct session *session, const struct arguments *args)
{
    const struct apf_input input = stream_input(session, args->files[0]);
    const struct request r = request_of(session, args);
    struct apf_file_info file = {.size = sizeof file};
    /* The first bytes say what most files are; apf_file_detect reads the whole file. */
    return !args->values[OPT_KIND].place && apf_file_family(&input) == APF_FAMILY_NONE &&
           apf_file_detect(&input, &r.limits, &file, NULL) == APF_OK &&
           (file.kind == APF_KIND_BOLT_YAML || file.kind == APF_KIND_BOLT_FDATA);
}

static int export_bolt(const struct export_request *r)
{
    const struct apf_input input = stream_input(r->base.session, r->path);
    const struct apf_output output = apf_output_file(r->base.output);
    struct apf_export_result result = {.size = sizeof result};
    struct apf_fdata *fdata = NULL;
    struct apf_bolt_yaml *yaml = NULL;
    struct apf_error error;
    int exit = EXIT_DATA;
    int code = apf_fdata_new(&fdata, &r->base.limits, &error);
    if (code == APF_OK)
        code = apf_bolt_yaml_new(&yaml, &r->base.limits, &error);
    if (code == APF_OK)
        code = apf_bolt_read(fdata, yaml, &input, 1, &error);
    if (code != APF_OK) {
        report_failure(r->base.session, r->path, &error);
    } else {
        code = apf_bolt_yaml_info(yaml)->known
                   ? apf_bolt_yaml_export(yaml, &r->options, &output, &result, &error)
                   : apf_fdata_export(fdata, &r->options, &output, &result, &error);
        exit = report_result(r, code, &result, &error);
    }
    apf_fdata_free(fdata);
    apf_bolt_yaml_free(yaml);
    return exit;
}
#else
bool convert_export_is_bolt(const struct session *session, const struct arguments *args)
{
    (void)session;
    (void)args;
    return false;
}

static int export_bolt(const struct export_request *r)
{
    (void)r;
    return EXIT_DATA;
}
#endif

int convert_export(const struct session *session, const struct arguments *args, uint64_t kind)
{
    struct export_request r = {0};
    int code = parse_request(&r, session, args);
    if (code == 0 && kind == KIND_SAMPLE)
        code = export_samples(&r, args);
    else if (code == 0 && convert_export_is_bolt(session, args)) {
        if (option_flag(args, OPT_CS))
            report_warning(session, NULL, "--cs has no effect on profiles of BOLT");
        code = export_bolt(&r);
    } else if (code == 0) {
        r.options.flags |= option_flag(args, OPT_CS) ? APF_EXPORT_CS : 0;
        code = export_instr(&r);
    }
    demangler_free(&r.demangler);
    return code;
}
