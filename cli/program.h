/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What a program does before and after its commands. */
#ifndef CLI_PROGRAM_H
#define CLI_PROGRAM_H

#include "session.h"

/* Prepares signals and standard streams. False: not possible; no message can be seen. */
bool program_begin(void);
/* Whether messages are in color unless an option says otherwise. */
bool program_color(void);
/* Reports what demanglers have left, and flushes standard output: only now is it known whether all output was written.
 * Returns the exit code. */
int program_end(const struct session *session, int code);

#endif
