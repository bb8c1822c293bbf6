/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What profgen says about samples that were read, on standard error. */
#ifndef CLI_PROFGEN_PRINT_H
#define CLI_PROFGEN_PRINT_H

#include <anyprof/profgen.h>

#include "session.h"

/* Prints the file with the debug information of a program, unless that is the program. */
void profgen_print_debug_file(const struct apf_profgen *profgen);
/* Prints what became of samples. */
void profgen_print_funnel(const struct apf_profgen_funnel *f);
/* Warns of an input that is not complete. `before` is what became of samples before it was read. */
void profgen_warn_of_input(const struct session *session, const char *input,
                           const struct apf_profgen_funnel *before, const struct apf_profgen_funnel *f);
/* Warns of an input in which the program, or where it was mapped, is not certain. `input` NULL: the only one. */
void profgen_warn_of_match(const struct session *session, const char *program, const char *input,
                           const struct apf_profgen_funnel *before, const struct apf_profgen_funnel *f);
/* Warns of runs that are left out, in the words of llvm-profgen. */
void profgen_warn_as_llvm(const struct session *session, const struct apf_profgen_funnel *f);
/* Warns of samples that may not be of the program. */
void profgen_warn(const struct session *session, const char *program, const struct apf_profgen_funnel *f);

#endif
