/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* anyprof merge */
#include <signal.h>

#include "command.h"
#include "merge_instr.h"
#include "merge_samples.h"

int cmd_merge(const struct session *session, const struct arguments *args)
{
    struct merge_request r = {0};
    signal(SIGPIPE, SIG_IGN); /* a failed write is reported; a merge into a file goes on if messages fail */
    int code = merge_request_parse(&r, session, args);
    if (code == 0 && r.list_inputs)
        merge_inputs_print(&r.inputs);
    else if (code == 0)
        code = r.samples ? merge_samples(&r, args) : merge_instr(&r);
    merge_request_free(&r);
    return code;
}
