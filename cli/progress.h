/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A line on the terminal that says how far long work has come: "120 of 1000 files, 350.2 MB/s, 2 bad". It is wiped out
 * at the end of the work and before every message. */
#ifndef CLI_PROGRESS_H
#define CLI_PROGRESS_H

#include <anyprof/io.h>

#include "command.h"

struct progress {
    bool wanted;           /* on this terminal, by these options */
    bool always;           /* at every step, from the first one on */
    bool shown;            /* now */
    bool taken;            /* the line on the screen is that of an output, and not at its end */
    uint64_t began, drawn; /* milliseconds */
};

/* Work begins of which the options say whether to show it. */
void progress_begin(const struct session *session, const struct arguments *args);
/* An apf_progress_fn; `user` is the struct progress. */
void progress_take(void *user, const struct apf_progress *now);
/* Wipes the line out, if there is one: text follows. It may be drawn again. */
void progress_hide(struct progress *progress);
/* An apf_write_fn; `user` is the struct progress. Writes to standard output, which is the same screen, and keeps the
 * line out of its way. */
int progress_write(void *user, const void *bytes, size_t n);
/* The work is done. */
void progress_end(const struct session *session);

#endif
