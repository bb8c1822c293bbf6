/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Messages on standard error, one write each; safe in signal handlers. */
#ifndef RT_MESSAGE_H
#define RT_MESSAGE_H

#include "rt_image.h"

enum aprt_severity { RT_ERROR, RT_WARNING, RT_NOTE };

/* Writes "LLVM Profile Error: WHAT", then " NAME" unless NULL, and ": REASON OF ERRNO" unless 0. Scripts know
 * compiler-rt's first words. */
RT_HIDDEN void aprt_message(enum aprt_severity tone, const char *what, const char *name, int error_number);

/* For what compiler-rt has words for, too: with the option `compatible`, `theirs` is written, in which '@' stands for
 * NAME; a note even if LLVM_PROFILE_VERBOSE is not set. */
RT_HIDDEN void aprt_message_or(enum aprt_severity tone, const char *what, const char *theirs,
                               const char *name, int error_number);

/* compiler-rt's words for what is reported in several places. */
#define RT_NOT_WRITTEN "Failed to write file \"@\""
#define RT_NO_NAME "Failed to write file : Filename not set"
#define RT_WRITTEN_BEFORE "Profile data not written to file: already written."

/* Both words. */
#define RT_DUMPED "the profile was dumped already; not written again", RT_WRITTEN_BEFORE
#define RT_TEMPORAL_STAYS                                                                                    \
    "temporal profiles cannot be merged while the program runs; merge the files",                            \
        "Temporal profiles do not support profile merging at runtime. Instead, merge raw profiles using "    \
        "the llvm-profdata tool."

/* LLVM_PROFILE_VERBOSE is set: notes are written too. */
RT_HIDDEN extern int aprt_verbose;

/* The option `compatible`: the runtime behaves as compiler-rt's. */
RT_HIDDEN extern int aprt_compatible;

#endif
