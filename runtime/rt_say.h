/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Messages on standard error, in one write each, with nothing that a signal handler must not call. */
#ifndef RT_SAY_H
#define RT_SAY_H

#include "rt_image.h"

enum aprt_tone { RT_ERROR, RT_WARNING, RT_NOTE };

/* "LLVM Profile Error: WHAT", and " NAME" and ": REASON OF ERRNO" where they are given (NULL, 0: not). Scripts know
 * compiler-rt's first words. */
RT_HIDDEN void aprt_say(enum aprt_tone tone, const char *what, const char *name, int error_number);

/* LLVM_PROFILE_VERBOSE is set: notes are said too. */
RT_HIDDEN extern int aprt_verbose;

#endif
