/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Instrumentation profiles that a command reads. */
#ifndef CLI_PROFILE_FILE_H
#define CLI_PROFILE_FILE_H

#include <anyprof/instr.h>

#include "request.h"

/* Options with the limits of the request; findings of readers become warnings. */
struct apf_options profile_options(const struct request *request);
/* Opens a profile with such options and these APF_FLAG_*; `source` completes it, unless it is NULL. NULL: failed, not
 * reported. */
struct apf_instr *profile_try(const struct request *request, const char *path,
                              const struct apf_correlation_source *source, uint32_t flags,
                              struct apf_error *error);
/* Notes what to do about a profile that could not be opened. */
void profile_advise(const struct session *session, const char *path, const struct apf_error *error);
/* Opens a profile as profile_try does. NULL: reported. */
struct apf_instr *profile_open(const struct request *request, const char *path,
                               const struct apf_correlation_source *source, uint32_t flags);
/* Whether n bytes, at least 1, are in a name. */
bool name_contains(struct apf_str name, const char *part, size_t n);
/* Warns if a part of the names of functions, as given by --function, is in no name of the profiles; not under the names
 * of LLVM's tools. No warning without a part. */
void profile_warn_function(const struct session *session, struct apf_instr *const *profiles, size_t n,
                           struct apf_str part);

#endif
