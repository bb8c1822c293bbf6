/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What a file is, for advice after an error in it. */
#ifndef CLI_DETECT_AGAIN_H
#define CLI_DETECT_AGAIN_H

#include <stdbool.h>

#include <anyprof/jobs.h>

#include "session.h"

/* Sets *input to what a path means, and fills in info, whose size is set. False: the kind is not known, or the input
 * cannot be read again. That holds for standard input and pipes, unless their bytes are kept (streams.h): opening a
 * pipe waits for another writer. */
bool detect_again(const struct session *session, const char *path, struct apf_input *input,
                  struct apf_file_info *info);

#endif
