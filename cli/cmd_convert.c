/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* anyprof convert */
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include <anyprof/jobs.h>
#include <anyprof/merge.h>

#include "advice.h"
#include "command.h"
#include "convert_export.h"
#include "convert_names.h"
#include "correlation.h"
#include "merge_summary.h"
#include "places.h"
#include "profile_file.h"
#include "profile_kind.h"
#include "sample_file.h"
#include "streams.h"
#include "write_options.h"

/* ---- the request ---- */

struct convert_request {
    struct request base;
    const char *path;
    uint64_t to;                    /* TO_* */
    struct apf_write_options write; /* not of JSON */
    uint32_t flags;                 /* APF_FLAG_* */
    struct correlation_request programs;
};

/* What is wrong with the command line; NULL: nothing. */
static const char *find_wrong(const struct arguments *args, uint64_t to)
{
    if (args->n_files == 0)
        return "a FILE is required";
    if (to == TO_UNKNOWN && convert_named(args, true) != TO_UNKNOWN)
        return "the output is named as a sample profile, and this is none: give --to=indexed, text, "
               "json, " EXPORT_FORMATS;
    if (to > TO_JSON)
        return to != TO_UNKNOWN
                   ? "that is a format of sample profiles, and this is none: give --to=indexed, text, "
                     "json, " EXPORT_FORMATS
                   : "the format of the output is unknown; give --to=indexed, text, json, " EXPORT_FORMATS
                     ", or end the name of the output with .profdata, .proftext, .json, " EXPORT_ENDS;
    if (to == TO_JSON && option_text(args, OPT_FOR, NULL))
        return "--for is not for JSON, which holds the whole profile";
    if (to != TO_INDEXED &&
        (args->values[OPT_MEMPROF_VERSION].place || option_flag(args, OPT_MEMPROF_FULL_SCHEMA)))
        return "--memprof-version and --memprof-full-schema are for indexed profiles only";
    if (to == TO_JSON && (option_flag(args, OPT_SPARSE) || option_flag(args, OPT_KEEP_VTABLE_SYMBOLS)))
        return "--sparse and --keep-vtable-symbols are not for JSON, which holds the whole profile";
    if (to == TO_INDEXED && place_is_terminal(option_text(args, OPT_OUTPUT, "-")))
        return "an indexed profile cannot be written to a terminal; give -o FILE, or --to=text";
    return NULL;
}

/* 0, or an exit code after a report. */
static int parse_request(struct convert_request *r, const struct session *session,
                         const struct arguments *args)
{
    r->base = request_of(session, args);
    r->to = convert_format(args, false);
    const char *wrong = find_wrong(args, r->to);
    if (wrong)
        return report_wrong(session, args, wrong);
    r->path = args->files[0];
    if (convert_replaces(session, args))
        return session->persona->usage_exit;
    r->flags = option_flag(args, OPT_DROP_MEMPROF) ? APF_FLAG_DROP_MEMPROF : 0;
    int code = correlation_parse(&r->programs, session, args);
    if (code || r->to == TO_JSON)
        return code;
    return write_options_parse(&r->write, session, args, option_text(args, OPT_FOR, NULL), r->to == TO_TEXT);
}

static int report_unread(const struct convert_request *r, const char *path, const struct apf_error *error)
{
    report_failure(r->base.session, path, error);
    if (error->subject == APF_SUBJECT_MEMPROF)
        report_note(r->base.session, "--drop-memprof converts the profile without its memory profile");
    advise(r->base.session, path, error);
    return EXIT_DATA;
}

/* ---- JSON ---- */

static int convert_to_json(const struct convert_request *r, struct correlation *correlation,
                           const struct apf_correlation_source *source)
{
    struct apf_input input = stream_input(r->base.session, r->path);
    struct apf_output output = apf_output_file(r->base.output);
    struct apf_options options = profile_options(&r->base);
    struct apf_instr *instr = NULL;
    struct apf_error error;
    int code = EXIT_DATA;
    options.flags = r->flags;
    options.correlation = source;
    if (r->base.quiet)
        options.diag = NULL;
    if (apf_instr_open(&instr, &input, &options, &error) != APF_OK)
        return report_unread(r, r->path, &error);
    if (correlation_warn(correlation))
        code = exit_code(r->base.session, output.path, apf_instr_write_json(instr, &output, &error), &error);
    apf_instr_close(instr);
    return code;
}

/* ---- indexed and text ---- */

static int write_merge(const struct convert_request *r, struct apf_merge *merge,
                       const struct findings *findings)
{
    struct apf_output output = apf_output_file(r->base.output);
    struct apf_error error;
    if (apf_merge_write(merge, &r->write, &output, &error) != APF_OK)
        return write_failed(r->base.session, output.path, &error);
    if (r->base.quiet)
        return 0;
    findings_rest(findings);
    merge_report_summary(r->base.session, apf_merge_stats(merge), r->to == TO_TEXT);
    return 0;
}

/* Whether the file could be read; of a partial profile some of the inputs may have been lost. False: reported. */
static bool check_merge(const struct convert_request *r, struct apf_merge *merge)
{
    static const struct apf_tolerance any = {APF_FAIL_ALL, 0};
    if (apf_merge_verdict(merge, &any) == APF_OK)
        return true;
    report_unread(r, r->path, apf_merge_input(merge, 0)->error);
    return false;
}

/* Writes a merge of the one file, with all of its traces; those of a partial profile are chosen by the limits that it
 * has. */
static int convert_by_merge(const struct convert_request *r, struct correlation *correlation,
                            const struct apf_correlation_source *source)
{
    struct findings findings = {.session = r->base.session, .quiet = r->base.quiet};
    struct apf_merge_options m = {.size = sizeof m};
    struct apf_input input = stream_input(r->base.session, r->path);
    struct apf_merge *merge = NULL;
    struct apf_error error;
    int code = EXIT_DATA;
    struct apf_options options = r->base.limits;
    options.threads = 1;
    options.correlation = source;
    options.flags = r->flags;
    options.diag = findings_print;
    options.user = &findings;
    m.options = &options;
    if (!apf_file_is_partial(&input))
        m.trace_reservoir = m.trace_length = UINT64_MAX;
    if (apf_merge_new(&merge, &m, &error) != APF_OK || apf_merge_add(merge, &input, 1, &error) != APF_OK)
        report_failure(r->base.session, r->path, &error);
    else if (check_merge(r, merge) && correlation_warn(correlation))
        code = write_merge(r, merge, &findings);
    apf_merge_free(merge);
    return code;
}

/* Whether the input can be opened, and the output is no directory: which formats --to may name depends on what is in
 * the input. 0, or an exit code after a report. */
static int find_file(const struct session *session, const struct arguments *args)
{
    const char *out = option_text(args, OPT_OUTPUT, "-");
    if (strcmp(out, "-") != 0 && place_is_directory(out))
        return report_wrong(session, args, "the output is a directory: give the name of a file in it");
    const char *path = args->n_files ? args->files[0] : "-";
    if (strcmp(path, "-") == 0)
        return 0;
    const bool is_directory = place_is_directory(path);
    if (!is_directory && access(path, R_OK) == 0)
        return 0;
    const struct apf_error error = {.code = APF_IO, .sys_errno = is_directory ? EISDIR : errno};
    report_errno(session, path, error.sys_errno);
    report_next_step(session, path, &error);
    return EXIT_DATA;
}

/* Converts a profile of this kind (KIND_*). Returns the exit code. */
static int convert(const struct session *session, const struct arguments *args, uint64_t kind)
{
    struct convert_request r = {0};
    struct correlation correlation;
    if (convert_export_format(args))
        return convert_export(session, args, kind);
    if (convert_export_only(args))
        return report_wrong(session, args, convert_export_only(args));
    if (args->n_files && kind == KIND_SAMPLE)
        return convert_samples(session, args);
    if (args->n_files && convert_export_is_bolt(session, args))
        return report_wrong(session, args,
                            "a profile of BOLT is converted to " EXPORT_FORMATS
                            "; 'anyprof bolt merge' writes fdata and YAML");
    int code = parse_request(&r, session, args);
    if (code)
        return code;
    struct apf_options options = r.base.limits;
    code = correlation_open(&correlation, &options, &r.programs, &r.base);
    if (code)
        return code;
    code = (r.to == TO_JSON ? convert_to_json : convert_by_merge)(&r, &correlation, options.correlation);
    correlation_close(&correlation);
    return code;
}

int cmd_convert(const struct session *session, const struct arguments *args)
{
    uint64_t kind;
    signal(SIGPIPE, SIG_IGN); /* a failed write is reported */
    int code = find_file(session, args);
    if (code == 0)
        code = profile_kind_of_files(session, args, 1, &kind);
    if (code)
        return code;
    code = convert(session, args, kind);
    if (code == 0)
        convert_note_name(session, args, kind == KIND_SAMPLE);
    return code;
}
