/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What to do about an error whose message does not say it. */
#ifndef CLI_NEXT_STEP_H
#define CLI_NEXT_STEP_H

#include <stdbool.h>
#include <stddef.h>

#include <anyprof/error.h>

#include "session.h"

/* Writes the next step to `to`. `file` is the file that the error is about, or NULL. False: there is none to tell. */
bool next_step(char *to, size_t size, const struct session *session, const char *file,
               const struct apf_error *error);

#endif
