/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Which files of directories are read, and what is said about the others. */
#ifndef CLI_DIRECTORIES_H
#define CLI_DIRECTORIES_H

#include <anyprof/io.h>

#include "options.h"
#include "session.h"

/* The options for patterns of --include; without any, all files are listed. */
struct apf_paths_options include_options(const struct option_value *patterns);
/* An apf_name_filter_fn that wants every file. */
int include_all(void *user, struct apf_str name);

void skipped_add(struct apf_skipped *to, const struct apf_skipped *from);
/* Says how many files were left out because they are no profiles, or are out of the directory. */
void skipped_report(const struct session *session, const struct apf_skipped *skipped);
/* Why a directory gives no files. */
const char *skipped_reason(const struct apf_skipped *skipped);

#endif
