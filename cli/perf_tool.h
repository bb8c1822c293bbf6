/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Runs of perf, because libanyprof starts no processes. */
#ifndef CLI_PERF_TOOL_H
#define CLI_PERF_TOOL_H

#include <sys/types.h>

#include "session.h"

struct perf_tool {
    pid_t child;
    int fd; /* the pipe that perf writes to */
    const char *verb, *file;
};

/* Starts `perf VERB WORDS... -f -i FILE`; the last of the words is NULL. False: reported. */
bool perf_tool_start(struct perf_tool *tool, const struct session *session, const char *verb,
                     const char *const *words, const char *file);
/* Waits for the end of perf. Output that was not read is lost, and then the exit code does not matter. False: perf
 * failed, which is reported. */
bool perf_tool_finish(struct perf_tool *tool, const struct session *session);
/* Makes the output of perf the command's standard input. False: reported. */
bool perf_tool_to_stdin(struct perf_tool *tool, const struct session *session);
/* All output of perf, for free(). NULL: reported. */
char *perf_tool_read(struct perf_tool *tool, const struct session *session, size_t *n);

#endif
