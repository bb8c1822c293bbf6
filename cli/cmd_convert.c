/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* anyprof convert */
#include <signal.h>
#include <string.h>

#include <anyprof/merge.h>

#include "advice.h"
#include "correlation.h"
#include "limits.h"
#include "merge_summary.h"
#include "places.h"
#include "profile_file.h"
#include "write_options.h"

struct conversion {
    const struct session *session;
    const struct arguments *args;
    const char *path;
    uint64_t to; /* TO_* */
    bool quiet;
    struct correlation *correlation;
    const struct apf_correlation_source *source; /* what completes the profile; NULL: nothing */
};

/* ---- the format ---- */

static bool ends_with(const char *text, const char *end)
{
    size_t n = strlen(text), n_end = strlen(end);
    return n >= n_end && strcmp(text + n - n_end, end) == 0;
}

/* What --to says, or else the name of the output; TO_UNKNOWN. */
static uint64_t format_of(const struct arguments *args)
{
    const char *path = option_text(args, OPT_OUTPUT, "-");
    uint64_t by_name = ends_with(path, ".profdata")   ? TO_INDEXED
                       : ends_with(path, ".proftext") ? TO_TEXT
                       : ends_with(path, ".json")     ? TO_JSON
                                                      : TO_UNKNOWN;
    return option_number(args, OPT_TO, by_name);
}

/* What is wrong with the command line; NULL: nothing. */
static const char *objection(const struct arguments *args, uint64_t to)
{
    if (args->n_files == 0)
        return "no input file given";
    if (to == TO_UNKNOWN)
        return "the format of the output is not known; give --to=indexed, text or json, or name the output "
               ".profdata, "
               ".proftext or .json";
    if (to == TO_JSON && option_text(args, OPT_FOR, NULL))
        return "--for is about indexed profiles and text: JSON holds what there is";
    if (to != TO_INDEXED &&
        (args->values[OPT_MEMPROF_VERSION].place || option_flag(args, OPT_MEMPROF_FULL_SCHEMA)))
        return "--memprof-version and --memprof-full-schema are about indexed profiles";
    if (to == TO_JSON && (option_flag(args, OPT_SPARSE) || option_flag(args, OPT_KEEP_VTABLE_SYMBOLS)))
        return "JSON holds all there is: --sparse and --keep-vtable-symbols do not go with it";
    if (to == TO_INDEXED && place_is_terminal(option_text(args, OPT_OUTPUT, "-")))
        return "an indexed profile is not for a terminal; give -o FILE, or --to=text";
    return NULL;
}

/* ---- JSON ---- */

static int fail(const struct conversion *c, const char *path, const struct apf_error *error)
{
    report_failure(c->session, path, error);
    if (error->subject == APF_SUBJECT_MEMPROF)
        report_note(c->session, "--drop-memprof leaves its memory profile out");
    advise(c->session, path, error);
    return EXIT_DATA;
}

static struct apf_output output_of(const struct conversion *c)
{
    struct apf_output output = {option_text(c->args, OPT_OUTPUT, "-"), NULL, NULL, 0};
    return output;
}

static int to_json(const struct conversion *c)
{
    struct apf_input input = {c->path, NULL, 0, NULL, 0};
    struct apf_output output = output_of(c);
    struct apf_options options = profile_options(c->session, c->args);
    struct apf_instr *instr = NULL;
    struct apf_error error;
    options.flags = option_flag(c->args, OPT_DROP_MEMPROF) ? APF_FLAG_DROP_MEMPROF : 0;
    if (c->quiet)
        options.diag = NULL;
    options.correlation = c->source;
    if (apf_instr_open(&instr, &input, &options, &error) != APF_OK)
        return fail(c, c->path, &error);
    if (!correlation_tell(c->correlation)) {
        apf_instr_close(instr);
        return EXIT_DATA;
    }
    int code = apf_instr_write_json(instr, &output, &error);
    if (code != APF_OK)
        report_failure(c->session, output.path, &error);
    apf_instr_close(instr);
    return code == APF_OK ? 0 : EXIT_DATA;
}

/* ---- indexed and text ---- */

/* All traces are kept, however many there are. */
static struct apf_merge_options merge_options_of(const struct conversion *c, struct findings *findings)
{
    struct apf_merge_options m = {.size = sizeof m};
    m.options = profile_options(c->session, c->args);
    m.options.threads = 1;
    m.options.correlation = c->source;
    m.options.flags = option_flag(c->args, OPT_DROP_MEMPROF) ? APF_FLAG_DROP_MEMPROF : 0;
    m.options.diag = findings_take;
    m.options.user = findings;
    m.trace_reservoir = m.trace_length = UINT64_MAX;
    return m;
}

static int write_merge(const struct conversion *c, struct apf_merge *merge, const struct apf_write_options *w,
                       const struct findings *findings)
{
    struct apf_output output = output_of(c);
    struct apf_error error;
    if (apf_merge_write(merge, w, &output, &error) != APF_OK)
        return write_failed(c->session, &output, &error);
    if (c->quiet)
        return 0;
    findings_rest(findings);
    merge_report_summary(c->session, apf_merge_stats(merge), c->to == TO_TEXT);
    return 0;
}

/* The writers of these formats take what a merge made; here it is one of a single file. */
static int by_merge(const struct conversion *c)
{
    struct findings findings = {c->session, {0}, c->quiet};
    struct apf_merge_options options = merge_options_of(c, &findings);
    struct apf_input input = {c->path, NULL, 0, NULL, 1};
    struct apf_write_options w;
    struct apf_merge *merge = NULL;
    struct apf_error error;
    int code =
        write_options_of(&w, c->session, c->args, option_text(c->args, OPT_FOR, NULL), c->to == TO_TEXT);
    if (code)
        return code;
    if (apf_merge_new(&merge, &options, &error) != APF_OK ||
        apf_merge_add(merge, &input, 1, &error) != APF_OK) {
        report_failure(c->session, c->path, &error);
        code = EXIT_DATA;
    } else if (apf_merge_input(merge, 0)->code != APF_OK) {
        code = fail(c, c->path, apf_merge_input(merge, 0)->error);
    } else if (!correlation_tell(c->correlation)) {
        code = EXIT_DATA;
    } else {
        code = write_merge(c, merge, &w, &findings);
    }
    apf_merge_free(merge);
    return code;
}

int cmd_convert(const struct session *session, const struct arguments *args)
{
    struct apf_options options = limits_of(args);
    struct correlation correlation;
    struct conversion c = {session,
                           args,
                           args->n_files ? args->files[0] : NULL,
                           format_of(args),
                           option_flag(args, OPT_QUIET),
                           &correlation,
                           NULL};
    const char *wrong = objection(args, c.to);
    if (wrong)
        return report_wrong(session, args, wrong);
    if (place_is_read(session, args, 0)) /* a program; the input may be replaced */
        return session->persona->usage_exit;
    signal(SIGPIPE, SIG_IGN); /* a reader that went away is an error that is reported */
    int code = correlation_open(&correlation, &options, session, args);
    if (code)
        return code;
    c.source = options.correlation;
    code = c.to == TO_JSON ? to_json(&c) : by_merge(&c);
    correlation_close(&correlation);
    return code;
}
