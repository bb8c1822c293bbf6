/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Instrumentation profiles that a command reads. */
#ifndef CLI_PROFILE_FILE_H
#define CLI_PROFILE_FILE_H

#include <anyprof/instr.h>

#include "report.h"

/* The limits of the command line; findings of readers become warnings. */
struct apf_options profile_options(const struct session *session, const struct arguments *args);
/* Opens a profile with such options and these APF_FLAG_*; `source`, unless it is NULL, completes it. NULL: nothing was
 * said. */
struct apf_instr *profile_try(const struct session *session, const struct arguments *args, const char *path,
                              const struct apf_correlation_source *source, uint32_t flags,
                              struct apf_error *error);
/* What to do about a profile that could not be opened. */
void profile_advise(const struct session *session, const char *path, const struct apf_error *error);
/* Opens a profile; MemProf data in it is left out in silence. NULL: reported. */
struct apf_instr *profile_open(const struct session *session, const struct arguments *args, const char *path,
                               const struct apf_correlation_source *source);

/* The same, for those who want its MemProf data. */
struct apf_instr *profile_open_memory(const struct session *session, const struct arguments *args,
                                      const char *path);

#endif
