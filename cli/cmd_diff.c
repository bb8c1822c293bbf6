/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* anyprof diff */
#include <inttypes.h>
#include <string.h>

#include <anyprof/compare.h>

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

/* Whether more moved than --fail-above permits, both in millionths of a per cent. */
static bool is_too_much(const struct session *session, const struct arguments *args,
                        const struct apf_diff *diff)
{
    const double unit = 1e8;
    uint64_t limit = option_number(args, OPT_FAIL_ABOVE, 0);
    uint64_t moved = (uint64_t)(apf_diff_totals(diff)->difference * unit + 0.5);
    if (!option_text(args, OPT_FAIL_ABOVE, NULL) || moved <= limit)
        return false;
    report_error(session, NULL, "%.6f %% of the counts moved, more than %.6f %%", (double)moved / 1e6,
                 (double)limit / 1e6);
    return true;
}

int cmd_diff(const struct session *session, const struct arguments *args)
{
    struct apf_output output = {option_text(args, OPT_OUTPUT, "-"), NULL, NULL, 0};
    struct apf_instr *pair[2];
    struct apf_diff *diff = NULL;
    struct apf_error error;
    if (!pair_is_given(session, args))
        return session->persona->usage_exit;
    if (place_is_read(session, args, 2) || !pair_open(pair, session, args, NULL))
        return EXIT_DATA;
    struct apf_diff_options options = options_of(args);
    int result = 0;
    int code = apf_diff_make(&diff, pair[0], pair[1], &options, &error);
    if (code == APF_OK)
        code = apf_diff_print(diff, &output, &error);
    if (code != APF_OK) {
        report_failure(session, output.path, &error);
        result = EXIT_DATA;
    } else {
        const struct apf_diff_totals *totals = apf_diff_totals(diff);
        for (unsigned i = 0; i < 2; i++)
            pair_warn(session, args->files[i], totals->left_out[i], totals->saturated[i]);
        result = is_too_much(session, args, diff) ? EXIT_DATA : 0;
    }
    apf_diff_free(diff);
    pair_close(pair);
    return result;
}
