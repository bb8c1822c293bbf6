/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "rt_process.h"

#include "rt_atomic.h"
#include "rt_target.h"

#include <errno.h>
#include <pthread.h>
#include <time.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif

unsigned aprt_patience = 10000;

static uintptr_t holder; /* the thread that is inside; 0: none */
static unsigned queue;   /* how many wait for it */
static pid_t known;

/* ThreadSanitizer sees no locks of code that it has not compiled, but does see what memcpy does for it. */
void __tsan_ignore_thread_begin(void) __attribute__((weak));
void __tsan_ignore_thread_end(void) __attribute__((weak));

static uintptr_t this_thread(void)
{
    return (uintptr_t)pthread_self();
}

/* Who comes when others wait lets them go first. */
static int try_turn(int comes)
{
    uintptr_t had = 0;
    if (comes && RT_LOAD(&queue))
        had = RT_LOAD(&holder);
    else if (__atomic_compare_exchange_n(&holder, &had, this_thread(), 0, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
        return 0;
    return had == this_thread() ? EDEADLK : EBUSY;
}

/* Who is inside may wait for the lock of a file as long as the user lets it. */
static unsigned most_tries(void)
{
    enum { LEAST = 10000 };
    return aprt_patience > LEAST ? aprt_patience : LEAST;
}

static int take_turn(void)
{
    const struct timespec pause = {0, 1000000};
    int error = try_turn(1);
    if (error != EBUSY)
        return error;
    (void)RT_ADD(&queue, 1);
    for (unsigned tries = 0; error == EBUSY && tries < most_tries(); tries++) {
        nanosleep(&pause, NULL);
        error = try_turn(0);
    }
    (void)RT_ADD(&queue, -1u);
    return error == EBUSY ? ETIMEDOUT : error;
}

static void put_back(const struct aprt_inside *inside)
{
    pthread_setcancelstate(inside->cancel, NULL);
    pthread_sigmask(SIG_SETMASK, &inside->mask, NULL);
}

int aprt_process_look_in(struct aprt_inside *inside)
{
    static const int at_once[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP, SIGSYS};
    sigset_t later;
    sigfillset(&later);
    for (size_t i = 0; i < sizeof at_once / sizeof at_once[0]; i++)
        sigdelset(&later, at_once[i]);
    pthread_sigmask(SIG_BLOCK, &later, &inside->mask);
    /* A thread that ended in here would leave it locked. */
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &inside->cancel);
    inside->writes = 0;
    int error = take_turn();
    if (error)
        put_back(inside);
    else if (__tsan_ignore_thread_begin)
        __tsan_ignore_thread_begin();
    return error;
}

void aprt_process_waiting(struct aprt_waiting *waiting)
{
    sigset_t set;
    sigemptyset(&set);
    sigpending(&set);
    waiting->broke_pipe = sigismember(&set, SIGPIPE) == 1;
    waiting->grew_too_large = sigismember(&set, SIGXFSZ) == 1;
}

void aprt_process_swallow(const struct aprt_waiting *before)
{
    const struct timespec at_once = {0, 0};
    struct aprt_waiting now;
    sigset_t set;
    aprt_process_waiting(&now);
    sigemptyset(&set);
    if (now.broke_pipe > before->broke_pipe)
        sigaddset(&set, SIGPIPE);
    if (now.grew_too_large > before->grew_too_large)
        sigaddset(&set, SIGXFSZ);
    if (now.broke_pipe <= before->broke_pipe && now.grew_too_large <= before->grew_too_large)
        return;
    while (sigtimedwait(&set, NULL, &at_once) > 0 || errno == EINTR)
        continue;
}

void aprt_process_block(sigset_t *had)
{
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGPIPE);
    sigaddset(&set, SIGXFSZ);
    pthread_sigmask(SIG_BLOCK, &set, had);
}

int aprt_process_enter(struct aprt_inside *inside)
{
    int error = aprt_process_look_in(inside);
    if (error)
        return error;
    inside->writes = 1;
    aprt_process_waiting(&inside->waiting);
    inside->parent_death = 0;
#ifdef __linux__
    /* A parent that ends now must not end this process in the middle of writing. */
    if (prctl(PR_GET_PDEATHSIG, &inside->parent_death) == 0 && inside->parent_death == SIGKILL)
        prctl(PR_SET_PDEATHSIG, 0);
    inside->parent = inside->parent_death == SIGKILL ? getppid() : 0;
#endif
    return 0;
}

void aprt_process_leave(const struct aprt_inside *inside)
{
    if (inside->writes)
        aprt_process_swallow(&inside->waiting);
#ifdef __linux__
    if (inside->writes && inside->parent_death == SIGKILL)
        prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (inside->writes && inside->parent && inside->parent != getppid())
        raise(SIGKILL); /* it ended meanwhile */
#endif
    if (__tsan_ignore_thread_end)
        __tsan_ignore_thread_end();
    __atomic_store_n(&holder, 0, __ATOMIC_RELEASE);
    put_back(inside);
}

static struct aprt_inside forking; /* the lock of the process guards it */
static int forks;

/* Nobody else is inside meanwhile: what they have open, and have half done, would be the child's. No signal ends the
 * child before it knows what its parent has counted. And what all children need is found once. Handlers that are
 * registered after these, as in constructors of the program, run outside of this. */
static void will_fork(void)
{
    struct aprt_inside inside;
    struct aprt_image image;
    (void)aprt_image_find(&image);
    if (aprt_process_look_in(&inside))
        return; /* it stays too long, or this comes from a handler that interrupted it */
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
    /* Other threads that were inside, forked or waited are not here. */
    if (!forks || holder != this_thread()) {
        holder = 0;
        forks = 0;
    }
    queue = 0;
    aprt_target_forked();
    known = getpid(); /* what ends a process before this ends one that has counted nothing */
    did_fork();
}

/* Before the program's own constructors, which may fork, and register handlers of their own: what these count in the
 * child is the child's. A library may be unloaded by another thread while its handlers wait or are still to come, but
 * for those in the child, where there is no other thread. */
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
