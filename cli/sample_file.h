/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Opens sample profiles for commands, and the commands that have a part of their own for sample profiles. */
#ifndef CLI_SAMPLE_FILE_H
#define CLI_SAMPLE_FILE_H

#include <anyprof/sample.h>

#include "request.h"

/* How samples are read: the options of every call, and --profile-isfs and --fs-discriminator-pass. `common` must
 * live as long as the result, whose options point to it; its findings are printed as warnings. */
struct apf_sample_read_options sample_read_options(const struct request *request,
                                                   const struct arguments *args, struct apf_options *common);
/* Opens a profile; NULL: failed, which is reported. */
struct apf_sample *sample_file_open(const struct session *session, const char *path,
                                    const struct apf_sample_read_options *options);

/* The commands for sample profiles; return exit codes. */
int show_samples(const struct session *session, const struct arguments *args);
int diff_samples(const struct session *session, const struct arguments *args);
int lookup_samples(const struct session *session, const struct arguments *args);
int convert_samples(const struct session *session, const struct arguments *args);
int overlap_samples(const struct session *session, const struct arguments *args);

#endif
