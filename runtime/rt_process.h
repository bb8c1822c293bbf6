/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What the threads, signals and forks of a process do to the runtime: one at a time is inside it. */
#ifndef RT_PROCESS_H
#define RT_PROCESS_H

#include "rt_image.h"

#include <signal.h>

/* Signals that writing brings about: whether some were waiting already. */
struct aprt_waiting {
    int broke_pipe, grew_too_large;
};
RT_HIDDEN void aprt_process_waiting(struct aprt_waiting *waiting);

/* Takes away what is waiting by now, and was not before. They must be blocked. */
RT_HIDDEN void aprt_process_swallow(const struct aprt_waiting *before);

/* Blocks them. */
RT_HIDDEN void aprt_process_block(sigset_t *had);

/* What was before somebody came in, to be put back. */
struct aprt_inside {
    sigset_t mask;
    int cancel; /* whether the thread may be cancelled */
    int writes; /* the rest is known */
    struct aprt_waiting waiting;
    int parent_death; /* the signal for that, or 0 */
    pid_t parent;     /* if that is a signal that was put off */
};

/* Waits for other threads, not for ever. 0: this thread is inside; signals that need not be answered at once wait,
 * those that writing brings about are errors of writing. EDEADLK: this thread is already, and was interrupted by a
 * signal; ETIMEDOUT: another one stays. */
RT_HIDDEN int aprt_process_enter(struct aprt_inside *inside);

/* The same, not to write: it is left alone what writing brings about. */
RT_HIDDEN int aprt_process_look_in(struct aprt_inside *inside);

RT_HIDDEN void aprt_process_leave(const struct aprt_inside *inside);

/* How long is waited for other processes, in milliseconds; for other threads at least ten seconds. */
RT_HIDDEN extern unsigned aprt_patience;

/* Is this process the one that the runtime was started in, or a fork that it knows of? Not after vfork, or a clone that
 * shares memory. */
RT_HIDDEN int aprt_process_is_known(void);

#endif
