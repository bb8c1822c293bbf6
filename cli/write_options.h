/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Options of the profile that merge or convert writes. */
#ifndef CLI_WRITE_OPTIONS_H
#define CLI_WRITE_OPTIONS_H

#include <anyprof/merge.h>

#include "request.h"

/* Options of an indexed profile, or of a text, for `target`; NULL: the target that the program's name stands for, or
 * "auto" for text. 0, or an exit code after a report. */
int write_options_parse(struct apf_write_options *w, const struct session *session,
                        const struct arguments *args, const char *target, bool text);

/* Reports why the profile was not written; returns the exit code. */
int write_failed(const struct session *session, const char *output, const struct apf_error *error);

#endif
