/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Running perf: the library starts no processes. */
#ifndef CLI_PERF_TOOL_H
#define CLI_PERF_TOOL_H

#include <sys/types.h>

#include "command.h"

struct perf_tool {
    pid_t child;
    int fd; /* what it prints */
    const char *verb, *file;
};

/* Starts `perf VERB ... -f -i FILE` with these words between (the last one is NULL). False: reported. */
bool perf_tool_start(struct perf_tool *tool, const struct session *session, const char *verb,
                     const char *const *words, const char *file);
/* Waits for its end. What it prints and was not read is lost; then it is no matter how it ended. False: it failed,
 * which was reported. */
bool perf_tool_finish(struct perf_tool *tool, const struct session *session);
/* Makes what it prints our standard input. False: reported. */
bool perf_tool_to_stdin(struct perf_tool *tool, const struct session *session);
/* All that it prints, to be freed. NULL: reported. */
char *perf_tool_read(struct perf_tool *tool, const struct session *session, size_t *n);

#endif
