/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "request.h"

struct request request_of(const struct session *session, const struct arguments *args)
{
    struct request r = {.session = session};
    r.output = option_text(args, OPT_OUTPUT, "-");
    r.limits.size = sizeof r.limits;
    r.limits.max_bytes = option_number(args, OPT_MAX_INPUT_SIZE, 0);
    r.limits.max_records = option_number(args, OPT_MAX_RECORDS, 0);
    r.limits.max_depth = option_number(args, OPT_MAX_DEPTH, 0);
    r.progress = option_number(args, OPT_PROGRESS, PROGRESS_AUTO);
    r.json = option_flag(args, OPT_JSON);
    r.quiet = option_flag(args, OPT_QUIET);
    return r;
}
