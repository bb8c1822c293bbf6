/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* anyprof-link-options: -Wl,--wrap=pthread_create */
#include "helpers/shared/unit.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <unistd.h>

#include "base/cpus.h"
#include "base/pool.h"

static atomic_uint created; /* tasks read it while threads start */
static unsigned allowed = UINT32_MAX;

int __real_pthread_create(pthread_t *id, const pthread_attr_t *attr, void *(*start)(void *), void *arg);
int __wrap_pthread_create(pthread_t *id, const pthread_attr_t *attr, void *(*start)(void *), void *arg);

int __wrap_pthread_create(pthread_t *id, const pthread_attr_t *attr, void *(*start)(void *), void *arg)
{
    if (created == allowed)
        return EAGAIN;
    created++;
    return __real_pthread_create(id, attr, start, arg);
}

#define TASKS 10000

struct record {
    atomic_uint runs[TASKS];
    atomic_size_t next;
    atomic_bool wrong; /* cmocka's assertions are for the main thread only */
    unsigned limit;
    size_t plain[300]; /* for each thread, without any lock: two of one number would race */
};

static void count(void *context, size_t task, unsigned thread)
{
    struct record *r = (struct record *)context;
    if (task >= TASKS || thread >= r->limit) {
        atomic_store(&r->wrong, true);
        return;
    }
    atomic_fetch_add(&r->runs[task], 1);
    r->plain[thread]++;
}

static void run(unsigned threads, size_t tasks, unsigned limit)
{
    static struct record r;
    memset(&r, 0, sizeof r);
    r.limit = limit;
    created = 0;
    pool_run(threads, tasks, count, &r);
    assert_false(atomic_load(&r.wrong));
    size_t sum = 0;
    for (size_t i = 0; i < TASKS; i++)
        assert_int_equal(atomic_load(&r.runs[i]), i < tasks);
    for (size_t i = 0; i < 300; i++)
        sum += r.plain[i];
    assert_int_equal(sum, tasks);
}

static void test_each_task_once(void **state)
{
    (void)state;
    static const unsigned threads[] = {1, 2, 8, 64};
    static const size_t tasks[] = {0, 1, 2, 7, 8, 9, TASKS};
    for (size_t t = 0; t < sizeof threads / sizeof *threads; t++) {
        for (size_t k = 0; k < sizeof tasks / sizeof *tasks; k++) {
            run(threads[t], tasks[k], threads[t]);
            assert_int_equal(created, threads[t] - 1); /* the caller is one of them */
        }
    }
}

static void test_one_thread_is_the_caller(void **state)
{
    (void)state;
    run(1, TASKS, 1);
    assert_int_equal(created, 0);
    run(0, TASKS, 1);
    assert_int_equal(created, 0);
}

static void test_fewer_threads_than_asked(void **state)
{
    (void)state;
    for (allowed = 0; allowed < 4; allowed++) {
        run(8, TASKS, allowed + 1);
        assert_int_equal(created, allowed);
    }
    allowed = UINT32_MAX;
}

static void test_far_too_many_threads(void **state)
{
    (void)state;
    allowed = 3;
    run(UINT32_MAX, TASKS, 4);
    allowed = UINT32_MAX;
    run(300, TASKS, 256);
    assert_int_equal(created, 255);
}

static void in_order(void *context, size_t task, unsigned thread)
{
    struct record *r = (struct record *)context;
    assert_int_equal(thread, 0);
    assert_int_equal(atomic_fetch_add(&r->next, 1), task);
}

static void test_started_in_order(void **state)
{
    (void)state;
    static struct record r;
    pool_run(1, TASKS, in_order, &r);
    assert_int_equal(atomic_load(&r.next), TASKS);
}

/* Both tasks wait for the other one: they end only if two threads are at work. */
static void meet(void *context, size_t task, unsigned thread)
{
    atomic_uint *arrived = (atomic_uint *)context;
    (void)task;
    (void)thread;
    atomic_fetch_add(arrived, 1);
    while (atomic_load(arrived) < 2)
        sched_yield();
}

static void test_really_parallel(void **state)
{
    (void)state;
    atomic_uint arrived = 0;
    pool_run(2, 2, meet, &arrived);
    assert_int_equal(atomic_load(&arrived), 2);
}

/* ---- results in order ---- */

#define WINDOW 8u

struct queue {
    atomic_uint started;
    unsigned done, stop_at;
    pthread_t caller;
    atomic_bool wrong;
    bool results[TASKS];
};

static void run_queued(void *context, size_t task, unsigned thread)
{
    struct queue *q = (struct queue *)context;
    (void)thread;
    atomic_fetch_add(&q->started, 1);
    if (task == 0 && q->stop_at == TASKS) /* the other tasks continue meanwhile, within the window */
        while (atomic_load(&q->started) < (WINDOW < TASKS ? WINDOW : TASKS) && created)
            sched_yield();
    q->results[task] = true;
}

static bool use_result(void *context, size_t task)
{
    struct queue *q = (struct queue *)context;
    unsigned ahead = atomic_load(&q->started) - q->done;
    if (!pthread_equal(q->caller, pthread_self()) || task != q->done || !q->results[task] || ahead > WINDOW)
        atomic_store(&q->wrong, true);
    q->done++;
    return q->done != q->stop_at;
}

static void run_queue(struct queue *q, unsigned threads, size_t tasks, unsigned stop_at,
                      bool (*full)(void *context))
{
    const struct pool_queue queue = {run_queued, use_result, full, q, WINDOW, NULL};
    memset(q, 0, sizeof *q);
    q->caller = pthread_self();
    q->stop_at = stop_at;
    created = 0;
    assert_true(pool_run_queue(threads, tasks, &queue));
    assert_false(atomic_load(&q->wrong));
}

static void test_queue_in_order(void **state)
{
    (void)state;
    static struct queue q;
    static const unsigned threads[] = {1, 2, 4, 64};
    for (size_t t = 0; t < sizeof threads / sizeof *threads; t++) {
        run_queue(&q, threads[t], TASKS, TASKS, NULL);
        assert_int_equal(q.done, TASKS);
        run_queue(&q, threads[t], 0, 0, NULL);
        assert_int_equal(q.done, 0);
    }
}

static void test_queue_stops(void **state)
{
    (void)state;
    static struct queue q;
    for (unsigned threads = 1; threads <= 4; threads++) {
        run_queue(&q, threads, TASKS, 100, NULL);
        assert_int_equal(q.done, 100);
        assert_true(atomic_load(&q.started) < 100 + WINDOW);
    }
}

/* Set while results wait: then no task starts. */
static bool any_waits(void *context)
{
    const struct queue *q = (const struct queue *)context;
    return atomic_load(&q->started) > q->done;
}

static void test_queue_full(void **state)
{
    (void)state;
    static struct queue q;
    run_queue(&q, 1, TASKS, TASKS, any_waits);
    assert_int_equal(q.done, TASKS);
}

/* The first task waits until the calling thread, which has nothing to do, has been asked. */
struct slow {
    atomic_uint asked;
    atomic_bool begun;
    unsigned done;
};

static void run_slow(void *context, size_t task, unsigned thread)
{
    struct slow *s = (struct slow *)context;
    (void)task;
    if (thread == 0) { /* the other thread gets the slow one */
        while (!atomic_load(&s->begun))
            sched_yield();
        return;
    }
    atomic_store(&s->begun, true);
    while (!atomic_load(&s->asked))
        sched_yield();
}

static bool count_done(void *context, size_t task)
{
    (void)task;
    ((struct slow *)context)->done++;
    return true;
}

static bool refuse(void *context)
{
    atomic_fetch_add(&((struct slow *)context)->asked, 1);
    return false;
}

static void test_queue_asks(void **state)
{
    (void)state;
    struct slow s = {0, false, 0};
    const struct pool_queue queue = {run_slow, count_done, NULL, &s, WINDOW, refuse};
    assert_true(pool_run_queue(2, 2, &queue));
    assert_int_equal(atomic_load(&s.asked), 1);
    assert_true(s.done < 2);
}

/* Handlers of the program run on its own threads. */
static void look_at_mask(void *context, size_t task, unsigned thread)
{
    atomic_uint *arrived = (atomic_uint *)context;
    sigset_t mask;
    pthread_sigmask(SIG_SETMASK, NULL, &mask);
    (void)task;
    bool blocked = sigismember(&mask, SIGTERM) == 1 && sigismember(&mask, SIGPROF) == 1;
    atomic_fetch_add(arrived, blocked == (thread != 0) ? 1 : 100);
    while (atomic_load(arrived) < 2)
        sched_yield();
}

static void test_workers_block_signals(void **state)
{
    (void)state;
    atomic_uint arrived = 0;
    pool_run(2, 2, look_at_mask, &arrived);
    assert_int_equal(atomic_load(&arrived), 2);
}

static void test_pool_threads(void **state)
{
    (void)state;
    assert_int_equal(pool_threads(1, 100), 1);
    assert_int_equal(pool_threads(8, 100), 8);
    assert_int_equal(pool_threads(8, 3), 3);
    assert_int_equal(pool_threads(8, 1), 1);
    assert_int_equal(pool_threads(8, 0), 1);
    assert_int_equal(pool_threads(0, 0), 1);
    assert_int_equal(pool_threads(0, 1), 1);
    assert_int_equal(pool_threads(UINT32_MAX, SIZE_MAX), 256);
    unsigned cpus = cpus_usable();
    assert_in_range(cpus, 1, sysconf(_SC_NPROCESSORS_ONLN));
    assert_int_equal(pool_threads(0, SIZE_MAX), cpus < 256 ? cpus : 256);
}

TEST_FILE(pool)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_each_task_once),
        cmocka_unit_test(test_one_thread_is_the_caller),
        cmocka_unit_test(test_fewer_threads_than_asked),
        cmocka_unit_test(test_far_too_many_threads),
        cmocka_unit_test(test_started_in_order),
        cmocka_unit_test(test_really_parallel),
        cmocka_unit_test(test_queue_in_order),
        cmocka_unit_test(test_queue_stops),
        cmocka_unit_test(test_queue_full),
        cmocka_unit_test(test_queue_asks),
        cmocka_unit_test(test_workers_block_signals),
        cmocka_unit_test(test_pool_threads),
    };
    return RUN_TESTS(tests);
}
