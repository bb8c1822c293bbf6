/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* anyprof merge */
#include <signal.h>

#include "command.h"
#include "merge_instr.h"
#include "merge_samples.h"

/* Merges inputs that may be of either kind into a partial profile for merges of both: as samples into memory first. The
 * messages are those of the kind that names say, the report is that of the merge that writes the file. */
static int merge_undecided(struct merge_request *r, const struct arguments *args)
{
    struct apf_buffer part = {0};
    struct merge_request samples = *r;
    const bool main_samples = r->samples;
    samples.samples = true;
    samples.slices = &part;
    samples.n_slices = 1;
    samples.base.quiet |= !main_samples;
    samples.report.path = samples.page.path = NULL;
    int code = merge_samples(&samples, args);
    if (code == 0) {
        r->undecided = &part;
        r->samples = false;
        r->base.quiet |= main_samples;
        code = merge_instr(r);
    }
    apf_buffer_free(&part);
    return code;
}

int cmd_merge(const struct session *session, const struct arguments *args)
{
    struct merge_request r = {0};
    signal(SIGPIPE, SIG_IGN); /* a failed write is reported; a merge into a file goes on if messages fail */
    int code = merge_request_parse(&r, session, args);
    if (code == 0 && r.list_inputs)
        merge_inputs_print(&r.inputs);
    else if (code == 0)
        code = merge_request_is_undecided(&r) ? merge_undecided(&r, args)
               : r.samples                    ? merge_samples(&r, args)
                                              : merge_instr(&r);
    merge_request_free(&r);
    return code;
}
