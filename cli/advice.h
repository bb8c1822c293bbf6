/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Advice about a file that is no profile of the kind that was read. */
#ifndef CLI_ADVICE_H
#define CLI_ADVICE_H

#include <anyprof/error.h>

#include "session.h"

/* Whether the reason of an error is that the file is something else, such as a web page. */
bool advice_is_other(const struct session *session, const char *path, const struct apf_error *error);
/* Follows the report of an error about `path`: adds a note on what the file is, if that explains the error. */
void advise(const struct session *session, const char *path, const struct apf_error *error);

#endif
