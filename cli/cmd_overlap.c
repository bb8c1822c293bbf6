/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* anyprof overlap */
#include <string.h>

#include <anyprof/compare.h>

#include "pair.h"
#include "places.h"

int cmd_overlap(const struct session *session, const struct arguments *args)
{
    struct apf_output output = {option_text(args, OPT_OUTPUT, "-"), NULL, NULL, 0};
    struct apf_overlap_options options = {.size = sizeof options};
    struct apf_instr *pair[2];
    struct apf_overlap overlap;
    struct apf_error error;
    int code = 0;
    if (!pair_is_given(session, args))
        return session->persona->usage_exit;
    if (option_number(args, OPT_KIND, KIND_INSTR) == KIND_SAMPLE) {
        report_error(session, NULL,
                     "--sample is not supported yet: use LLVM's own llvm-profdata for sample profiles");
        return session->persona->usage_exit;
    }
    if (place_is_read(session, args, 2))
        return session->persona->usage_exit;
    options.flags = option_flag(args, OPT_CS) ? APF_OVERLAP_CS : 0;
    options.value_cutoff = option_number(args, OPT_VALUE_CUTOFF, UINT64_MAX);
    options.function.p = option_text(args, OPT_FUNCTION, "");
    options.function.n = strlen(options.function.p);
    options.names[0] = args->files[0];
    options.names[1] = args->files[1];
    if (!pair_open(pair, session, args, NULL, "error in getting profile count sums"))
        return EXIT_DATA;
    if (apf_overlap_print(pair[0], pair[1], &options, &output, &overlap, &error) == APF_OK) {
        pair_warn(session, args->files[0], overlap.left_out, overlap.saturated);
    } else {
        report_failure(session, output.path, &error);
        code = EXIT_DATA;
    }
    pair_close(pair);
    return code;
}
