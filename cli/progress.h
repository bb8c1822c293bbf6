/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A line on the terminal that shows the progress of long work: "120 of 1000 files, 350.2 MB/s, 2 bad". The line is
 * wiped out at the end of the work and before every message. */
#ifndef CLI_PROGRESS_H
#define CLI_PROGRESS_H

#include <anyprof/io.h>

#include "request.h"

struct progress {
    bool wanted;           /* by the options, and the terminal can show it */
    bool always;           /* at every step, without a delay */
    bool shown;            /* the line is on the screen now */
    bool unfinished;       /* the last line on the screen is output without its line feed */
    uint64_t began, drawn; /* milliseconds */
};

/* Starts the clock of the request's long work, and makes `options` report its progress here. */
void progress_begin(const struct request *request, struct apf_options *options);
void progress_end(const struct session *session);
/* Wipes the line out, if it is shown, because text follows. The line may be drawn again. */
void progress_hide(struct progress *progress);
/* An apf_write_fn for standard output that is a terminal: wipes the line out first. `user` is the struct progress. */
int progress_write(void *user, const void *bytes, size_t n);

#endif
