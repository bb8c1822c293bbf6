/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "base/pool.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <time.h>

#include "base/cpus.h"

#define MOST_THREADS 256u

unsigned pool_threads(uint32_t wanted, size_t tasks)
{
    unsigned n = wanted ? wanted : cpus_usable();
    if (n > MOST_THREADS)
        n = MOST_THREADS;
    if (n > tasks)
        n = (unsigned)tasks;
    return n ? n : 1;
}

/* Tasks start in order and end in any order; `first` .. `next` - 1 run or wait for `done`. */
struct job {
    const struct pool_queue *queue;
    size_t tasks;
    pthread_mutex_t lock;   /* protects everything below */
    pthread_cond_t changed; /* a task has ended, or `first` has moved */
    size_t first, next;
    bool *ended; /* of task i at i % queue->window; NULL: the order in which tasks end does not matter */
    bool stopped;
    unsigned threads; /* number of threads that have started */
};

static bool may_claim(const struct job *j)
{
    const struct pool_queue *q = j->queue;
    if (!j->ended || j->next == j->first)
        return true;
    return j->next - j->first < q->window && !(q->full && q->full(q->context));
}

static bool is_claimed(const struct job *j)
{
    return j->stopped || j->next == j->tasks;
}

/* Runs the next task without the lock, which is held before and after. */
static void run_next(struct job *j, unsigned thread)
{
    size_t task = j->next++;
    pthread_mutex_unlock(&j->lock);
    j->queue->task(j->queue->context, task, thread);
    pthread_mutex_lock(&j->lock);
    if (j->ended) {
        j->ended[task % j->queue->window] = true;
        pthread_cond_broadcast(&j->changed);
    }
}

static void *work_on_tasks(void *arg)
{
    struct job *j = (struct job *)arg;
    pthread_mutex_lock(&j->lock);
    unsigned thread = j->threads++;
    while (!is_claimed(j)) {
        if (may_claim(j))
            run_next(j, thread);
        else
            pthread_cond_wait(&j->changed, &j->lock);
    }
    pthread_mutex_unlock(&j->lock);
    return NULL;
}

/* Passes the first task's result to `done`, without the lock, which is held before and after. */
static void hand_over(struct job *j)
{
    const struct pool_queue *q = j->queue;
    size_t task = j->first;
    pthread_mutex_unlock(&j->lock);
    bool go_on = q->done(q->context, task);
    pthread_mutex_lock(&j->lock);
    j->ended[task % q->window] = false;
    j->first++;
    j->stopped = !go_on;
    pthread_cond_broadcast(&j->changed);
}

#define PATIENCE 50000000 /* nanoseconds between two calls of `wait` */

/* Waits until something has changed, or asks the queue whether to go on. */
static void wait_as_caller(struct job *j)
{
    const struct pool_queue *q = j->queue;
    struct timespec until;
    if (!q->wait) {
        pthread_cond_wait(&j->changed, &j->lock);
        return;
    }
    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_nsec += PATIENCE;
    until.tv_sec += until.tv_nsec / 1000000000;
    until.tv_nsec %= 1000000000;
    if (pthread_cond_timedwait(&j->changed, &j->lock, &until) != ETIMEDOUT)
        return;
    pthread_mutex_unlock(&j->lock);
    bool go_on = q->wait(q->context);
    pthread_mutex_lock(&j->lock);
    j->stopped |= !go_on;
    if (j->stopped)
        pthread_cond_broadcast(&j->changed);
}

/* The work of the calling thread: results first, since other threads may wait for room. */
static void work_as_caller(struct job *j)
{
    pthread_mutex_lock(&j->lock);
    while (!j->stopped && (j->ended ? j->first : j->next) < j->tasks) {
        if (j->ended && j->ended[j->first % j->queue->window])
            hand_over(j);
        else if (j->next < j->tasks && may_claim(j))
            run_next(j, 0);
        else
            wait_as_caller(j);
    }
    pthread_mutex_unlock(&j->lock);
}

/* The clock of `changed` is one that is never set. */
static void init_changed(struct job *j)
{
    pthread_condattr_t attributes;
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(&j->changed, &attributes);
    pthread_condattr_destroy(&attributes);
}

static void run_job(struct job *j, unsigned threads)
{
    pthread_t ids[MOST_THREADS];
    unsigned started = 0;
    sigset_t all, before;
    if (threads > MOST_THREADS)
        threads = MOST_THREADS;
    pthread_mutex_init(&j->lock, NULL);
    init_changed(j);
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before); /* threads inherit the mask */
    while (started + 1 < threads && pthread_create(&ids[started], NULL, work_on_tasks, j) == 0)
        started++;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    work_as_caller(j);
    for (unsigned i = 0; i < started; i++)
        pthread_join(ids[i], NULL);
    pthread_cond_destroy(&j->changed);
    pthread_mutex_destroy(&j->lock);
}

void pool_run(unsigned threads, size_t tasks, pool_task *task, void *context)
{
    struct pool_queue queue = {.task = task, .context = context};
    struct job job = {.queue = &queue, .tasks = tasks, .threads = 1};
    run_job(&job, threads);
}

bool pool_run_queue(unsigned threads, size_t tasks, const struct pool_queue *queue)
{
    struct job job = {.queue = queue, .tasks = tasks, .threads = 1};
    job.ended = calloc(queue->window, sizeof *job.ended);
    if (!job.ended)
        return false;
    run_job(&job, threads);
    free(job.ended);
    return true;
}
