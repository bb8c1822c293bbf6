/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* anyprof probes verify, probes diff: commands whose exit code is a verdict */
#include "places.h"
#include "probes.h"

/* 0, or an exit code: reported. */
static int take_options(struct apf_probes_check_options *options, const struct probes_source *source,
                        const struct arguments *args)
{
    options->size = sizeof *options;
    options->flags = option_flag(args, OPT_JSON) ? APF_PROBES_JSON : 0;
    options->flags |= option_text(args, OPT_FUNCTION, NULL) ? APF_PROBES_ONE_FUNCTION : 0;
    return probes_function(source, args, &options->guid);
}

/* Whether more than --max-stale per cent of the probes are in changed functions; where there are no probes, whether
 * any function changed. */
static bool is_stale(const struct arguments *args, const struct apf_probes_verdict *verdict)
{
    double limit = (double)option_number(args, OPT_MAX_STALE, 0) / 1e8;
    if (limit == 0 || verdict->n_compared_probes == 0)
        return verdict->n_changed != 0;
    return (double)verdict->n_changed_probes > limit * (double)verdict->n_compared_probes;
}

int cmd_probes_verify(const struct session *session, const struct arguments *args)
{
    struct probes_source source = {.keep_going = true}, other = {.keep_going = false};
    struct apf_output output = {option_text(args, OPT_OUTPUT, "-"), NULL, NULL, 0};
    struct apf_probes_check_options options = {0};
    struct apf_probes_verdict verdict = {0};
    struct apf_error error;
    const char *against = option_text(args, OPT_AGAINST, NULL), *wrong = probes_objection(args);
    if (!wrong && against && (option_flag(args, OPT_SECTION) || option_text(args, OPT_DESC_SECTION, NULL)))
        wrong = "--against compares programs, not sections";
    if (!wrong && !against && option_text(args, OPT_MAX_STALE, NULL))
        wrong = "--max-stale needs --against";
    if (wrong)
        return report_wrong(session, args, wrong);
    if (place_is_read(session, args, 1))
        return session->persona->usage_exit;
    int code = probes_open(&source, session, args, args->n_files ? args->files[0] : NULL);
    if (!code && against)
        code = probes_open(&other, session, args, against);
    if (!code)
        code = take_options(&options, &source, args);
    if (!code &&
        apf_probes_verify(source.probes, other.probes, &options, &output, &verdict, &error) != APF_OK) {
        report_failure(session, output.path, &error);
        code = EXIT_DATA;
    }
    if (!code && against && verdict.n_compared == 0) {
        report_error(session, against,
                     "no function has a descriptor both there and in %s: nothing was compared",
                     args->files[0]);
        code = EXIT_DATA;
    }
    if (!code && (verdict.n_findings || (against && is_stale(args, &verdict))))
        code = EXIT_DATA;
    probes_close(&source);
    probes_close(&other);
    return code;
}

int cmd_probes_diff(const struct session *session, const struct arguments *args)
{
    struct probes_source a = {.keep_going = false}, b = {.keep_going = false};
    struct apf_output output = {option_text(args, OPT_OUTPUT, "-"), NULL, NULL, 0};
    struct apf_probes_check_options options = {0};
    struct apf_error error;
    uint64_t n = 0;
    if (args->n_files < 2)
        return report_wrong(session, args, "two files are required");
    if (place_is_read(session, args, 2))
        return session->persona->usage_exit;
    int code = probes_open(&a, session, args, args->files[0]);
    if (!code)
        code = probes_open(&b, session, args, args->files[1]);
    if (!code)
        code = take_options(&options, &a, args);
    if (!code && apf_probes_diff(a.probes, b.probes, &options, &output, &n, &error) != APF_OK) {
        report_failure(session, output.path, &error);
        code = EXIT_DATA;
    }
    probes_close(&a);
    probes_close(&b);
    return code ? code : n ? EXIT_DATA : 0;
}
