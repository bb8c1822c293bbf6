/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The lock of the process: one thread at a time runs the runtime, and signals and forks wait for it. */
#ifndef RT_PROCESS_H
#define RT_PROCESS_H

#include "rt_pending.h"

/* The thread's state before it took the lock, restored on leaving. */
struct aprt_inside {
    sigset_t mask;
    int cancel; /* the thread's cancel state */
    int writes; /* the members below are set */
    struct aprt_pending pending;
    int parent_death; /* the signal that the process gets when its parent dies, or 0 */
    pid_t parent;     /* the parent if that signal was suspended, else 0 */
};

/* Takes the lock of the process in order to write; waits for other threads for a limited time. Blocks all signals but
 * those of crashes; those that writing raises become errors of the write. Returns 0; EDEADLK: this thread holds the
 * lock and was interrupted by a signal; ETIMEDOUT: another thread holds it. */
RT_HIDDEN int aprt_process_enter(struct aprt_inside *inside);

/* Takes the lock without preparations for writing: the signals that writing raises stay as they are. */
RT_HIDDEN int aprt_process_enter_to_read(struct aprt_inside *inside);

RT_HIDDEN void aprt_process_leave(const struct aprt_inside *inside);

/* Time limit for other processes, in milliseconds; for other threads it is at least ten seconds. */
RT_HIDDEN extern unsigned aprt_wait_ms;

/* Returns whether this process is the one in which the runtime was started, or a known fork of it. After vfork, or a
 * clone that shares memory, it is not. */
RT_HIDDEN int aprt_process_is_known(void);

/* Called in a forked process, with the lock held; set by rt_target.c where it is linked, else NULL. */
RT_HIDDEN extern void (*aprt_process_forked)(void);

#endif
