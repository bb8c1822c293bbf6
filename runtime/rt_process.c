/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "rt_process.h"

#include "rt_atomic.h"

#include <errno.h>
#include <pthread.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

unsigned aprt_wait_ms = 10000;
void (*aprt_process_forked)(void);

static uintptr_t holder; /* the thread that holds the lock of the process; 0: none */
static unsigned queue;   /* number of waiting threads */
static pid_t known;

/* ThreadSanitizer does not see the locks of code that it did not instrument, but it does intercept memcpy there. */
void __tsan_ignore_thread_begin(void) __attribute__((weak));
void __tsan_ignore_thread_end(void) __attribute__((weak));

static uintptr_t this_thread(void)
{
    return (uintptr_t)pthread_self();
}

/* Tries to take the lock; a thread that arrives while others wait lets them go first. */
static int try_lock(int comes)
{
    uintptr_t had = 0;
    if (comes && RT_LOAD(&queue))
        had = RT_LOAD(&holder);
    else if (__atomic_compare_exchange_n(&holder, &had, this_thread(), 0, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
        return 0;
    return had == this_thread() ? EDEADLK : EBUSY;
}

/* The holder may wait for the lock of a file as long as the option `wait` says. */
static unsigned most_tries(void)
{
    enum { LEAST = 10000 };
    return aprt_wait_ms > LEAST ? aprt_wait_ms : LEAST;
}

static int wait_for_lock(void)
{
    const struct timespec pause = {0, 1000000};
    int error = try_lock(1);
    if (error != EBUSY)
        return error;
    (void)RT_ADD(&queue, 1);
    for (unsigned tries = 0; error == EBUSY && tries < most_tries(); tries++) {
        nanosleep(&pause, NULL);
        error = try_lock(0);
    }
    (void)RT_ADD(&queue, -1u);
    return error == EBUSY ? ETIMEDOUT : error;
}

static void restore_thread(const struct aprt_inside *inside)
{
    pthread_setcancelstate(inside->cancel, NULL);
    pthread_sigmask(SIG_SETMASK, &inside->mask, NULL);
}

int aprt_process_enter_to_read(struct aprt_inside *inside)
{
    static const int at_once[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP, SIGSYS};
    sigset_t later;
    sigfillset(&later);
    for (size_t i = 0; i < sizeof at_once / sizeof at_once[0]; i++)
        sigdelset(&later, at_once[i]);
    pthread_sigmask(SIG_BLOCK, &later, &inside->mask);
    /* A thread that is cancelled inside would leave the runtime locked. */
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &inside->cancel);
    inside->writes = 0;
    int error = wait_for_lock();
    if (error)
        restore_thread(inside);
    else if (__tsan_ignore_thread_begin)
        __tsan_ignore_thread_begin();
    return error;
}

int aprt_process_enter(struct aprt_inside *inside)
{
    int error = aprt_process_enter_to_read(inside);
    if (error)
        return error;
    inside->writes = 1;
    aprt_pending_find(&inside->pending);
    inside->parent_death = 0;
    /* The end of the parent must not kill this process in the middle of a write. */
    if (prctl(PR_GET_PDEATHSIG, &inside->parent_death) == 0 && inside->parent_death == SIGKILL)
        prctl(PR_SET_PDEATHSIG, 0);
    inside->parent = inside->parent_death == SIGKILL ? getppid() : 0;
    return 0;
}

void aprt_process_leave(const struct aprt_inside *inside)
{
    if (inside->writes)
        aprt_pending_discard(&inside->pending);
    if (inside->writes && inside->parent_death == SIGKILL)
        prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (inside->writes && inside->parent && inside->parent != getppid())
        raise(SIGKILL); /* the parent ended meanwhile */
    if (__tsan_ignore_thread_end)
        __tsan_ignore_thread_end();
    __atomic_store_n(&holder, 0, __ATOMIC_RELEASE);
    restore_thread(inside);
}

static struct aprt_inside forking; /* guarded by the lock of the process */
static int forks;

/* Holds the lock of the process during a fork, so that the child inherits no open files or unfinished work of other
 * threads, and blocks signals, so that none ends the child before it has copied its parent's counts. The image is
 * found once here for all children. Handlers that are registered later, as in constructors of the program, run
 * outside of the lock. */
static void will_fork(void)
{
    struct aprt_inside inside;
    struct aprt_image image;
    (void)aprt_image_find(&image);
    if (aprt_process_enter_to_read(&inside))
        return; /* the lock was not released in time, or this thread holds it and was interrupted */
    forking = inside;
    forks = 1;
}

static void did_fork(void)
{
    if (!forks || holder != this_thread())
        return;
    struct aprt_inside inside = forking;
    forks = 0;
    aprt_process_leave(&inside);
}

static void forked(void)
{
    /* Threads that held the lock, forked or waited do not exist in the child. */
    if (!forks || holder != this_thread()) {
        holder = 0;
        forks = 0;
    }
    queue = 0;
    if (aprt_process_forked)
        aprt_process_forked();
    known = getpid(); /* a process that ends before this line has counted nothing */
    did_fork();
}

/* Runs before the program's own constructors, which may fork and register handlers of their own: what those count in
 * the child belongs to the child. A library may be unloaded by another thread while its handlers run or are about to;
 * so it registers only the one for the child, where no other thread exists. */
__attribute__((constructor(101))) static void watch_forks(void)
{
    int stays = !aprt_image_is_library();
    known = getpid();
    pthread_atfork(stays ? will_fork : NULL, stays ? did_fork : NULL, forked);
}

int aprt_process_is_known(void)
{
    return known == 0 || known == getpid();
}
