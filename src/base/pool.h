/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Runs tasks on several threads. Who runs what is undefined: tasks must not depend on it. */
#ifndef BASE_POOL_H
#define BASE_POOL_H

#include <stddef.h>
#include <stdint.h>

/* One task: its number and the number of the thread (0 .. threads - 1), for per-thread scratch memory; 0 is the calling
 * one. */
typedef void pool_task(void *context, size_t task, unsigned thread);

/* How many threads to use for `tasks` tasks when the user asked for `wanted` (0 = one a processor). At least 1. */
unsigned pool_threads(uint32_t wanted, size_t tasks);
/* Runs task 0 .. tasks - 1, started in that order, on `threads` threads, the calling one among them, and returns
 * when all are done. If a thread cannot be started, fewer do the work. */
void pool_run(unsigned threads, size_t tasks, pool_task *task, void *context);

#endif
