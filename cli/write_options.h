/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef CLI_WRITE_OPTIONS_H
#define CLI_WRITE_OPTIONS_H

#include <stdbool.h>

#include <anyprof/merge.h>

#include "command.h"

/* The options with which a profile is written, indexed or as text, for `target`; NULL: indexed for what the name that
 * the command was called by stands for, text for all. 0, or an exit code after a report. */
int write_options_of(struct apf_write_options *w, const struct session *session, const struct arguments *args,
                     const char *target, bool text);

/* Reports why a profile was not written. The exit code. */
int write_failed(const struct session *session, const struct apf_output *output,
                 const struct apf_error *error);

#endif
