/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* anyprof-link-options: -Wl,--wrap=pthread_create */
#include "helpers/shared/unit.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <string.h>
#include <unistd.h>

#include "base/pool.h"

static unsigned created;
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
    long cpus = sysconf(_SC_NPROCESSORS_ONLN);
    assert_true(cpus >= 1);
    assert_int_equal(pool_threads(0, SIZE_MAX), cpus < 256 ? cpus : 256);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_each_task_once),
        cmocka_unit_test(test_one_thread_is_the_caller),
        cmocka_unit_test(test_fewer_threads_than_asked),
        cmocka_unit_test(test_far_too_many_threads),
        cmocka_unit_test(test_started_in_order),
        cmocka_unit_test(test_really_parallel),
        cmocka_unit_test(test_pool_threads),
    };
    return RUN_TESTS(tests);
}
