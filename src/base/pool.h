/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Runs tasks on several threads. Which thread runs a task is undefined, and results must not depend on it. Threads that
 * the pool starts block all signals: handlers of the program run on the program's own threads. */
#ifndef BASE_POOL_H
#define BASE_POOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* One task: its number and the number of the thread (0 .. threads - 1), for scratch memory of that thread; 0 is the
 * calling thread. */
typedef void pool_task(void *context, size_t task, unsigned thread);

/* The number of threads for `tasks` tasks when the user asked for `wanted` (0: cpus_usable); at least 1. */
unsigned pool_threads(uint32_t wanted, size_t tasks);
/* Runs task 0 .. tasks - 1, started in that order, on `threads` threads, the calling one among them, and returns
 * when all are done. If a thread cannot be started, fewer do the work. */
void pool_run(unsigned threads, size_t tasks, pool_task *task, void *context);

/* Tasks whose results are used in order. */
struct pool_queue {
    pool_task *task;
    /* Called on the calling thread for each task that has ended, in order. False stops the queue: it waits for running
     * tasks, starts no others, and passes no more results. */
    bool (*done)(void *context, size_t task);
    /* NULL, or whether results that wait for `done` need so much room that no task should start for now. */
    bool (*full)(void *context);
    void *context;
    size_t window; /* most tasks that run or wait for `done` at a time, at least 1 */
    /* NULL, or called several times a second on the calling thread while it has nothing to do. False stops the
     * queue. */
    bool (*wait)(void *context);
};

/* Runs task 0 .. tasks - 1 as pool_run does. A long task delays the others only when `window` tasks after it have
 * ended. False: an allocation failed, and no task has run. */
bool pool_run_queue(unsigned threads, size_t tasks, const struct pool_queue *queue);

#endif
