/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Whether a command is about instrumentation or sample profiles. */
#ifndef CLI_PROFILE_KIND_H
#define CLI_PROFILE_KIND_H

#include <anyprof/io.h>

#include "session.h"

struct arguments;

/* What says which kind of profiles some inputs are: APF_FAMILY_INSTR, APF_FAMILY_SAMPLE, or both. */
struct kind_votes {
    uint32_t families; /* by an option, or by the first bytes of inputs */
    uint32_t names;    /* by the names of inputs; only looked at, and set, if `families` is 0 */
};
/* Whether votes, not for both kinds by first bytes, are for sample profiles. */
bool kind_votes_samples(const struct kind_votes *votes);

/* Sets the votes for a merge of inputs: what the options say or, without them, what the inputs are by their first
 * bytes. An input that is no profile by these, such as an empty one, has no say, and one that can be read only once has
 * a say only if no other has; if none has, the names of the inputs decide, and last it is instrumentation profiles.
 * Profiles of both kinds are an error. LLVM's tool takes files for instrumentation profiles unless an option says
 * otherwise, and so does the program under that tool's name. Inputs whose bytes are kept (streams.h) are changed to
 * these. 0, or an exit code after a report. */
int profile_kind_votes(const struct session *session, const struct arguments *args, struct apf_input *inputs,
                       size_t n, struct kind_votes *votes);
/* Sets *kind to KIND_INSTR, KIND_SAMPLE or KIND_MEMORY, in the same way, for the first n positional arguments, at most
 * 2, which are compared, and all of which have a say. The bytes of streams are kept whatever the options say, unless
 * the program works as another tool, so that advice can be given on them. */
int profile_kind_of_files(const struct session *session, const struct arguments *args, size_t n,
                          uint64_t *kind);

#endif
