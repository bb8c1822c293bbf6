/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The functions of a profile whose names are like one that it does not have. */
#ifndef CLI_NEAREST_FUNCTION_H
#define CLI_NEAREST_FUNCTION_H

#include <anyprof/lookup.h>
#include <anyprof/sample_functions.h>

#include "session.h"

/* Follow the report that the profile at `path` has no function of this name: add a note with the nearest names or,
 * without any, with the command that lists all. */
void nearest_function_report(const struct session *session, const char *path, struct apf_lookup *lookup,
                             struct apf_str name);
/* The same for a sample profile. Of a function that is inlined in others only, the note says in which. */
void nearest_sample_report(const struct session *session, const char *path, const struct apf_sample *sample,
                           struct apf_str name);

#endif
