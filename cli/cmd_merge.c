/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* anyprof merge */
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>

#include "command.h"
#include "merge_instr.h"
#include "merge_samples.h"

static void print_inputs(const struct merge_inputs *inputs)
{
    for (size_t i = 0; i < inputs->n; i++)
        printf("%" PRIu64 ",%s\n", inputs->data[i].weight, inputs->data[i].path);
}

int cmd_merge(const struct session *session, const struct arguments *args)
{
    struct merge_request r = {0};
    signal(SIGPIPE, SIG_IGN); /* a failed write is reported; a merge into a file goes on if messages fail */
    int code = merge_request_parse(&r, session, args);
    if (code == 0 && r.list_inputs)
        print_inputs(&r.inputs);
    else if (code == 0)
        code = r.samples ? merge_samples(&r, args) : merge_instr(&r);
    merge_request_free(&r);
    return code;
}
