/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* anyprof diff */
#include <string.h>

#include <anyprof/compare.h>

#include "command.h"
#include "correlation.h"
#include "diff_limit.h"
#include "pair.h"
#include "profile_kind.h"
#include "report_output.h"
#include "sample_file.h"
#include "shown_names.h"

#define DEFAULT_TOPN 20u /* functions that are listed */

struct diff_request {
    struct request base;
    struct apf_diff_options options;
    struct correlation_request programs;
    struct diff_limit limit;
    struct report_format format; /* with --markdown */
    struct shown_names names;
};

/* 0, or an exit code after a report. */
static int parse_request(struct diff_request *r, const struct session *session, const struct arguments *args)
{
    struct apf_diff_options *o = &r->options;
    r->base = request_of(session, args);
    r->limit = diff_limit_of(args);
    o->size = sizeof *o;
    o->flags = (option_flag(args, OPT_CS) ? APF_DIFF_CS : 0) |
               (option_flag(args, OPT_ABSOLUTE) ? APF_DIFF_ABSOLUTE : 0) |
               (option_flag(args, OPT_EXACT_NAMES) ? APF_DIFF_EXACT_NAMES : 0) |
               (r->base.json ? APF_DIFF_JSON : 0);
    o->function.p = option_text(args, OPT_FUNCTION, "");
    o->function.n = strlen(o->function.p);
    r->format = report_format_of(args);
    if (r->format.markdown && r->base.json)
        return report_wrong(session, args, "--json and --markdown are two formats");
    shown_names_begin(&r->names, session, args);
    o->also = shown_names_part(&r->names);
    o->user = &r->names;
    o->max_functions = option_number(args, OPT_TOPN, r->base.json ? 0 : DEFAULT_TOPN);
    o->names[0] = args->files[0];
    o->names[1] = args->files[1];
    return correlation_parse(&r->programs, session, args);
}

static int compare_profiles(struct apf_instr *const pair[2], struct diff_request *r)
{
    const struct session *session = r->base.session;
    struct apf_output output = shown_names_output(&r->names, r->base.output);
    struct apf_diff *diff = NULL;
    struct apf_error error;
    int code = apf_diff_new(&diff, pair[0], pair[1], &r->options, &error);
    if (code == APF_OK && !r->format.markdown)
        code = apf_diff_print(diff, &output, &error);
    code = exit_code(session, output.path, code, &error);
    if (code == 0 && r->format.markdown)
        code =
            report_write_diff(&r->format, &r->base, diff, NULL, r->options.names, r->options.max_functions);
    if (code == 0) {
        const struct apf_diff_totals *totals = apf_diff_totals(diff);
        for (unsigned i = 0; i < 2; i++)
            pair_warn(session, r->options.names[i], totals->left_out[i], totals->saturated[i]);
        pair_warn_kinds(session, pair, r->options.names);
        bool nothing = totals->functions[0] + totals->functions[1] == 0;
        const char *missing = r->options.function.n                   ? "one of this name"
                              : (r->options.flags & APF_DIFF_CS) != 0 ? "context-sensitive records"
                                                                      : "any";
        code = diff_limit_judge(session, &r->limit, "counts", totals->difference, nothing ? missing : NULL);
    }
    apf_diff_free(diff);
    return code;
}

static int diff_profiles(struct diff_request *r)
{
    struct apf_instr *pair[2] = {NULL, NULL};
    struct correlation correlation;
    struct apf_options options = r->base.limits;
    int code = correlation_open(&correlation, &options, &r->programs, &r->base);
    if (code)
        return code;
    bool good = pair_open(pair, &r->base, r->options.names, options.correlation, NULL) &&
                correlation_warn(&correlation);
    code = good ? compare_profiles(pair, r) : EXIT_DATA;
    pair_close(pair);
    correlation_close(&correlation);
    return code;
}

int cmd_diff(const struct session *session, const struct arguments *args)
{
    struct diff_request r = {0};
    uint64_t kind;
    int code = pair_check(session, args);
    if (code == 0)
        code = profile_kind_of_files(session, args, 2, &kind);
    if (code)
        return code;
    if (kind == KIND_SAMPLE)
        return diff_samples(session, args);
    code = parse_request(&r, session, args);
    if (code == 0)
        code = diff_profiles(&r);
    shown_names_free(&r.names);
    return code;
}
