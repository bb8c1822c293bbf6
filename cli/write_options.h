/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef CLI_WRITE_OPTIONS_H
#define CLI_WRITE_OPTIONS_H

#include <stdbool.h>

#include <anyprof/merge.h>

#include "command.h"

/* The options with which a profile is written, as text or for `target`; NULL: for what the name that the command was
 * called by stands for. 0, or an exit code after a report. */
int write_options_of(struct apf_write_options *w, const struct session *session, const struct arguments *args,
                     const char *target, bool text);

#endif
