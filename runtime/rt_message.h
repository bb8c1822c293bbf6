/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Messages on standard error, one write each; safe in signal handlers. */
#ifndef RT_MESSAGE_H
#define RT_MESSAGE_H

#include "rt_image.h"

enum aprt_severity { RT_ERROR, RT_WARNING, RT_NOTE };

/* Writes "LLVM Profile Error: WHAT", then " NAME" unless NULL, and ": REASON OF ERRNO" unless 0. Scripts know
 * compiler-rt's first words. */
RT_HIDDEN void aprt_message(enum aprt_severity tone, const char *what, const char *name, int error_number);

/* LLVM_PROFILE_VERBOSE is set: notes are written too. */
RT_HIDDEN extern int aprt_verbose;

#endif
