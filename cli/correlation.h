/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Programs that complete profiles: --debug-info, --binary-file, --debug-file-directory. */
#ifndef CLI_CORRELATION_H
#define CLI_CORRELATION_H

#include <anyprof/correlate.h>
#include <anyprof/merge.h>

#include "request.h"

#define DEFAULT_CORRELATION_WARNINGS 5u /* as in LLVM */

struct correlation_request {
    const struct option_value *programs, *directories; /* of the arguments */
    uint32_t kind;                                     /* enum apf_metadata_kind */
    uint32_t max_warnings;
};

/* 0, or an exit code after a report. */
int correlation_parse(struct correlation_request *r, const struct session *session,
                      const struct arguments *args);

struct correlation {
    const struct session *session;
    struct apf_correlator *correlator; /* NULL: no option asks for one */
    bool quiet;                        /* no warnings */
    bool prefix;                       /* warnings name the program */
    /* Ordinary instrumented programs, for the names of salvaged functions. */
    struct apf_binary_functions **named;
    size_t n_named;
};

/* Reads the programs and sets options->correlation, so that calls with `options` complete profiles from them. Limits
 * and flags of `options` are set before; with APF_FLAG_SALVAGE, ordinary programs may be among the programs. 0, or an
 * exit code after a report. */
int correlation_open(struct correlation *c, struct apf_options *options,
                     const struct correlation_request *programs, const struct request *request);
/* Warns of findings that the correlator collected. False: failed, which is reported. */
bool correlation_warn(struct correlation *c);
/* Gives names from the programs to records of salvaged inputs that lost theirs. False: failed, which is reported. */
bool correlation_name(const struct correlation *c, struct apf_merge *merge);
void correlation_close(struct correlation *c);

#endif
