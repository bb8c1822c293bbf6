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
/* Warns of recordings that are not complete, and of samples that may not be of the program. */
void profgen_warn(const struct session *session, const char *program, const struct apf_profgen_funnel *f);

#endif
