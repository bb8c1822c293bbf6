/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "base/pool.h"

#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

#define MOST_THREADS 256u

struct job {
    pool_task *task;
    void *context;
    size_t tasks;
    atomic_size_t next;
    atomic_uint threads;
};

static void work_as(struct job *job, unsigned thread)
{
    for (;;) {
        size_t task = atomic_fetch_add(&job->next, 1);
        if (task >= job->tasks)
            return;
        job->task(job->context, task, thread);
    }
}

static void *work(void *arg)
{
    struct job *job = (struct job *)arg;
    work_as(job, atomic_fetch_add(&job->threads, 1));
    return NULL;
}

unsigned pool_threads(uint32_t wanted, size_t tasks)
{
    unsigned n = wanted;
    if (n == 0) {
        long cpus = sysconf(_SC_NPROCESSORS_ONLN);
        n = cpus > 0 ? (unsigned)cpus : 1;
    }
    if (n > MOST_THREADS)
        n = MOST_THREADS;
    if (n > tasks)
        n = (unsigned)tasks;
    return n ? n : 1;
}

void pool_run(unsigned threads, size_t tasks, pool_task *task, void *context)
{
    struct job job = {task, context, tasks, 0, 1};
    pthread_t ids[MOST_THREADS];
    unsigned started = 0;
    if (threads > MOST_THREADS)
        threads = MOST_THREADS;
    while (started + 1 < threads && pthread_create(&ids[started], NULL, work, &job) == 0)
        started++;
    work_as(&job, 0);
    for (unsigned i = 0; i < started; i++)
        pthread_join(ids[i], NULL);
}
