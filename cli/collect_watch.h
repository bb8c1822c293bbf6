/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What `collect` waits for: time, files that come into the spool, and signals. */
#ifndef CLI_COLLECT_WATCH_H
#define CLI_COLLECT_WATCH_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

struct watch {
    int fd;                   /* of inotify; -1: there is none, and only time counts */
    uint64_t n_come;          /* files that came since the caller has set it to 0; a file may count twice */
    sigset_t signals, before; /* blocked signals, and the mask that lets them through */
    bool stop;                /* SIGTERM or SIGINT has come */
};

/* Blocks the signals that stop or hurry a collector, also for threads that are started later. watch_close undoes it. */
void watch_open(struct watch *w);
void watch_close(struct watch *w);
/* Watches an open directory, from now on. */
void watch_directory(struct watch *w, int directory);
/* Waits until the time of CLOCK_MONOTONIC, in milliseconds; until SIGHUP or a signal to stop; or until `many` files
 * have come: then true. */
bool watch_wait(struct watch *w, int64_t until, uint64_t many);
/* Whether a signal to stop has come by now. */
bool watch_stops(struct watch *w);
/* CLOCK_MONOTONIC, in milliseconds. */
int64_t watch_now(void);

#endif
