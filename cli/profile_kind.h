/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Whether a command is about instrumentation or sample profiles. */
#ifndef CLI_PROFILE_KIND_H
#define CLI_PROFILE_KIND_H

#include <anyprof/io.h>

#include "session.h"

struct arguments;

/* KIND_INSTR, KIND_SAMPLE or KIND_MEMORY: what the options say or, without them, what the files are by their first
 * bytes: the kind that has the most weight, and of instrumentation if neither has more. LLVM's tool takes files for
 * instrumentation profiles unless an option says otherwise, and so does the program under that tool's name. */
uint64_t profile_kind_of(const struct session *session, const struct arguments *args,
                         const struct apf_input *inputs, size_t n);
/* profile_kind_of for the first n positional arguments, at most 2. */
uint64_t profile_kind_of_files(const struct session *session, const struct arguments *args, size_t n);

#endif
