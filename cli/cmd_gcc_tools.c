/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The command lines of AutoFDO's profile_merger and dump_gcov, under these names. */
#include <signal.h>

#include "command.h"
#include "options.h"
#include "report.h"
#include "sample_file.h"

/* Where profile_merger writes by default: the file that gcc -fauto-profile reads by default. */
#define DEFAULT_OUTPUT "fbdata.afdo"

int cmd_profile_merger(const struct session *session, const struct arguments *args)
{
    struct arguments as_merge = *args; /* of which `args` stays the owner */
    option_set(&as_merge, OPT_KIND, KIND_SAMPLE);
    option_set(&as_merge, OPT_FORMAT, FORMAT_GCC);
    as_merge.values[OPT_OUTPUT].text = option_text(args, OPT_OUTPUT, DEFAULT_OUTPUT);
    return cmd_merge(session, &as_merge);
}

int cmd_dump_gcov(const struct session *session, const struct arguments *args)
{
    struct arguments as_show = *args;
    signal(SIGPIPE, SIG_IGN); /* a failed write is reported */
    if (args->n_files == 0)
        return report_wrong(session, args, "a FILE is required");
    option_set(&as_show, OPT_SHOW_FORMAT, SHOW_GCOV);
    return show_samples(session, &as_show);
}
