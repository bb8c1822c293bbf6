/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Options of profgen without an effect on what is made. */
#ifndef CLI_PROFGEN_IDLE_H
#define CLI_PROFGEN_IDLE_H

#include "session.h"

struct arguments;

/* Warns of options that were given, and have no effect on profiles for GCC, or on such that are made of a sample
 * profile (`given`). */
void profgen_warn_of_idle(const struct session *session, const struct arguments *args, bool given);

#endif
