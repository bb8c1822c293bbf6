/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What the commands about pseudo probes share. */
#ifndef CLI_PROBES_H
#define CLI_PROBES_H

#include <anyprof/probe.h>

#include "report.h"

/* A file that was opened. */
struct probes_source {
    const struct session *session;
    struct apf_probes *probes;
    bool keep_going;  /* also without that option, and in silence */
    const char *path; /* for warnings that come later */
    size_t findings;  /* damage that --keep-going went past; each was reported */
};

/* Opens `path` (with --section NULL means: only descriptors) as the options say. 0, or an exit code: reported. */
int probes_open(struct probes_source *source, const struct session *session, const struct arguments *args,
                const char *path);
/* What is wrong with the options and the file; NULL: nothing. */
const char *probes_objection(const struct arguments *args);
void probes_close(struct probes_source *source);
/* --address, and whether there is --function. False: reported. */
bool probes_filter(struct apf_probes_print_options *options, const struct session *session,
                   const struct arguments *args);
/* Which function --function means in the file that was opened, if it was given. 0, or an exit code: reported. */
int probes_function(const struct probes_source *source, const struct arguments *args, uint64_t *guid);

#endif
