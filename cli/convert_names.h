/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* anyprof convert: the format that the name of the output means. */
#ifndef CLI_CONVERT_NAMES_H
#define CLI_CONVERT_NAMES_H

#include "options.h"
#include "session.h"

/* The TO_* that the end of the output's name means, of a sample profile or another; TO_UNKNOWN: none. */
uint64_t convert_named(const struct arguments *args, bool samples);
/* The same, or what --to and its like say instead. */
uint64_t convert_format(const struct arguments *args, bool samples);
/* Whether a profile that is written would replace a file that it must not; the input is none. True: reported. */
bool convert_replaces(const struct session *session, const struct arguments *args);
/* Notes that the output has not the format that its name means. */
void convert_note_name(const struct session *session, const struct arguments *args, bool samples);

#endif
