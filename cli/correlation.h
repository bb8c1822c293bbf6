/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Programs that complete profiles, as the command line names them. */
#ifndef CLI_CORRELATION_H
#define CLI_CORRELATION_H

#include <anyprof/correlate.h>
#include <anyprof/merge.h>

#include "command.h"

struct correlation {
    const struct session *session;
    struct apf_correlator *correlator; /* NULL: no option asks for one */
    bool quiet, prefix;                /* warnings: none at all; with the name of the program */
    /* Ordinary instrumented programs, for the names of what is salvaged. */
    struct apf_binary_functions **named;
    size_t n_named;
};

/* Reads the programs, and makes `options`, whose limits are set, read profiles with them. 0, or an exit code after a
 * report. */
int correlation_open(struct correlation *c, struct apf_options *options, const struct session *session,
                     const struct arguments *args);
/* Warns of what was found out later. False: reported. */
bool correlation_tell(struct correlation *c);
/* Gives names of the programs to records of salvaged inputs whose own are lost. False: reported. */
bool correlation_name(const struct correlation *c, struct apf_merge *merge);
void correlation_close(struct correlation *c);
/* show --debug-info. */
int correlation_show(const struct session *session, const struct arguments *args);

#endif
