/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* anyprof diff */
#include <inttypes.h>
#include <string.h>

#include <anyprof/compare.h>

#include "correlation.h"
#include "limits.h"
#include "pair.h"
#include "places.h"

#define LISTED 20u /* functions, unless --topn says how many */

static struct apf_diff_options options_of(const struct arguments *args)
{
    struct apf_diff_options options = {.size = sizeof options};
    bool json = option_flag(args, OPT_JSON);
    options.flags = (option_flag(args, OPT_CS) ? APF_DIFF_CS : 0) |
                    (option_flag(args, OPT_ABSOLUTE) ? APF_DIFF_ABSOLUTE : 0) |
                    (option_flag(args, OPT_EXACT_NAMES) ? APF_DIFF_EXACT_NAMES : 0) |
                    (json ? APF_DIFF_JSON : 0);
    options.function.p = option_text(args, OPT_FUNCTION, "");
    options.function.n = strlen(options.function.p);
    options.max_functions = option_number(args, OPT_TOPN, json ? 0 : LISTED);
    options.names[0] = args->files[0];
    options.names[1] = args->files[1];
    return options;
}

/* The exit code: whether more moved than --fail-above permits, both in millionths of a per cent; and a name that was
 * misspelled, or records that are not there, must not look like profiles that are the same. */
static int judge(const struct session *session, const struct arguments *args,
                 const struct apf_diff_totals *totals)
{
    const double unit = 1e8;
    bool asked = option_text(args, OPT_FAIL_ABOVE, NULL) != NULL;
    uint64_t limit = option_number(args, OPT_FAIL_ABOVE, 0);
    uint64_t moved = (uint64_t)(totals->difference * unit + 0.5);
    if (totals->functions[0] + totals->functions[1] == 0) {
        (asked ? report_error : report_warning)(session, NULL,
                                                "no function was compared: neither profile has %s",
                                                option_text(args, OPT_FUNCTION, "")[0] ? "one of this name"
                                                : option_flag(args, OPT_CS) ? "context-sensitive records"
                                                                            : "any");
        return asked ? EXIT_DATA : 0;
    }
    if (!asked || moved <= limit)
        return 0;
    report_error(session, NULL, "%.6f %% of the counts moved, more than %.6f %%", (double)moved / 1e6,
                 (double)limit / 1e6);
    return EXIT_ABOVE;
}

/* Compilers make other hashes for the two kinds, so that no function is the same. */
static void warn_of_kinds(const struct session *session, struct apf_instr *const pair[2])
{
    const struct apf_instr_info *a = apf_instr_info(pair[0]), *b = apf_instr_info(pair[1]);
    if (a->n_records && b->n_records && (a->variant ^ b->variant) & APF_VARIANT_IR)
        report_warning(session, NULL,
                       "an IR profile and a front-end profile: their hashes are made in different "
                       "ways, so that no function has the same");
}

static int compare(struct apf_instr *const pair[2], const struct session *session,
                   const struct arguments *args)
{
    struct apf_output output = {option_text(args, OPT_OUTPUT, "-"), NULL, NULL, 0};
    struct apf_diff_options options = options_of(args);
    struct apf_diff *diff = NULL;
    struct apf_error error;
    int result = EXIT_DATA;
    int code = apf_diff_make(&diff, pair[0], pair[1], &options, &error);
    if (code == APF_OK)
        code = apf_diff_print(diff, &output, &error);
    if (code != APF_OK) {
        report_failure(session, output.path, &error);
    } else {
        const struct apf_diff_totals *totals = apf_diff_totals(diff);
        for (unsigned i = 0; i < 2; i++)
            pair_warn(session, args->files[i], totals->left_out[i], totals->saturated[i]);
        warn_of_kinds(session, pair);
        result = judge(session, args, totals);
    }
    apf_diff_free(diff);
    return result;
}

int cmd_diff(const struct session *session, const struct arguments *args)
{
    struct apf_options options = limits_of(args);
    struct apf_instr *pair[2] = {NULL, NULL};
    struct correlation correlation;
    if (!pair_is_given(session, args))
        return session->persona->usage_exit;
    if (place_is_read(session, args, 2))
        return session->persona->usage_exit;
    int result = correlation_open(&correlation, &options, session, args);
    if (result)
        return result;
    bool good = pair_open(pair, session, args, options.correlation, NULL) && correlation_tell(&correlation);
    result = good ? compare(pair, session, args) : EXIT_DATA;
    pair_close(pair);
    correlation_close(&correlation);
    return result;
}
