/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* anyprof probes verify, probes diff: commands whose exit code is a verdict */
#include "command.h"
#include "places.h"
#include "probes.h"

/* Options for the function that --function names in `source`. 0, or an exit code after a report. */
static int set_options(struct apf_probes_check_options *options, const struct probes_source *source,
                       const struct probes_request *r)
{
    options->size = sizeof *options;
    options->flags =
        (r->base.json ? APF_PROBES_PRINT_JSON : 0) | (r->function ? APF_PROBES_PRINT_ONE_FUNCTION : 0);
    return probes_function(source, r, &options->guid);
}

/* ---- verify ---- */

struct verify_request {
    struct probes_request probes;
    const char *against; /* another build; NULL: none */
    uint64_t max_stale;  /* millionths of a per cent */
};

/* 0, or an exit code after a report. */
static int parse_verify(struct verify_request *r, const struct session *session, const struct arguments *args)
{
    int code = probes_parse(&r->probes, session, args);
    if (code)
        return code;
    r->against = option_text(args, OPT_AGAINST, NULL);
    r->max_stale = option_number(args, OPT_MAX_STALE, 0);
    if (r->against && r->probes.sections)
        return report_wrong(session, args, "--against compares programs, not sections");
    if (!r->against && args->values[OPT_MAX_STALE].place)
        return report_wrong(session, args, "--max-stale needs --against");
    return 0;
}

/* Whether more than --max-stale per cent of the probes are in changed functions, or, without probes, any function
 * changed. */
static bool is_stale(const struct verify_request *r, const struct apf_probes_verdict *verdict)
{
    double limit = (double)r->max_stale / 1e8;
    if (limit == 0 || verdict->n_compared_probes == 0)
        return verdict->n_changed != 0;
    return (double)verdict->n_changed_probes > limit * (double)verdict->n_compared_probes;
}

/* Returns the exit code. `other` is empty without --against. */
static int verify(const struct probes_source *source, const struct probes_source *other,
                  struct verify_request *r)
{
    const struct session *session = r->probes.base.session;
    struct apf_output output = shown_names_output(&r->probes.names, r->probes.base.output);
    struct apf_probes_check_options options = {0};
    struct apf_probes_verdict verdict = {.size = sizeof verdict};
    struct apf_error error;
    int code = set_options(&options, source, &r->probes);
    if (code)
        return code;
    code = apf_probes_check(source->probes, other->probes, &options, &output, &verdict, &error);
    code = exit_code(session, output.path, code, &error);
    if (code)
        return code;
    if (r->against && verdict.n_compared == 0) {
        report_error(session, r->against,
                     "no function has a descriptor both there and in %s: nothing was compared",
                     r->probes.path);
        return EXIT_DATA;
    }
    return verdict.n_findings || (r->against && is_stale(r, &verdict)) ? EXIT_DATA : 0;
}

int cmd_probes_verify(const struct session *session, const struct arguments *args)
{
    struct verify_request r = {0};
    struct probes_source source = {.ignores_damage = true}, other = {0};
    int code = parse_verify(&r, session, args);
    if (code == 0)
        code = probes_open(&source, &r.probes, r.probes.path);
    if (code == 0 && r.against)
        code = probes_open(&other, &r.probes, r.against);
    if (code == 0)
        code = verify(&source, &other, &r);
    apf_probes_close(source.probes);
    apf_probes_close(other.probes);
    probes_request_free(&r.probes);
    return code;
}

/* ---- diff ---- */

static int compare_probes(const struct probes_source *a, const struct probes_source *b,
                          struct probes_request *r, const struct arguments *args)
{
    struct apf_output output = shown_names_output(&r->names, r->base.output);
    struct apf_probes_check_options options = {0};
    struct apf_error error;
    uint64_t n = 0;
    int code = set_options(&options, a, r);
    if (code)
        return code;
    options.flags |= (option_flag(args, OPT_MOVED) ? APF_PROBES_DIFF_MOVED : 0) |
                     (option_flag(args, OPT_SUMMARY) ? APF_PROBES_DIFF_SUMMARY : 0);
    options.max_functions = option_number(args, OPT_TOPN, 0);
    code = apf_probes_diff(a->probes, b->probes, &options, &output, &n, &error);
    code = exit_code(r->base.session, output.path, code, &error);
    return code == 0 && n ? EXIT_DATA : code;
}

int cmd_probes_diff(const struct session *session, const struct arguments *args)
{
    struct probes_request r = {0};
    struct probes_source a = {0}, b = {0};
    if (args->n_files < 2)
        return report_wrong(session, args, "two files are required");
    int code = probes_parse(&r, session, args);
    const char *other = args->files[1];
    if (code == 0 && (stdin_is_repeated(session, args, 2) || place_is_read(session, args, 2)))
        code = session->persona->usage_exit;
    if (code == 0)
        code = probes_open(&a, &r, r.path);
    if (code == 0)
        code = probes_open(&b, &r, other);
    if (code == 0)
        code = compare_probes(&a, &b, &r, args);
    apf_probes_close(a.probes);
    apf_probes_close(b.probes);
    probes_request_free(&r);
    return code;
}
