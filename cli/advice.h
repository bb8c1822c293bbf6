/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What to do about a file that is no instrumentation profile. */
#ifndef CLI_ADVICE_H
#define CLI_ADVICE_H

#include "report.h"

#include <anyprof/error.h>

/* Behind an error about `path`: a note that says what the file is, if that explains the error. */
void advise(const struct session *session, const char *path, const struct apf_error *error);

#endif
