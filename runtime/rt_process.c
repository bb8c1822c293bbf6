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

unsigned rt_patience = 10000;

static uintptr_t holder; /* the thread that is inside; 0: none */
static pid_t known;

static uintptr_t this_thread(void)
{
    return (uintptr_t)pthread_self();
}

static int take_turn(void)
{
    const struct timespec pause = {0, 1000000};
    for (unsigned tries = 0; tries <= rt_patience; tries++) {
        uintptr_t nobody = 0;
        if (__atomic_compare_exchange_n(&holder, &nobody, this_thread(), 0, __ATOMIC_ACQUIRE,
                                        __ATOMIC_RELAXED))
            return 0;
        if (nobody == this_thread())
            return EDEADLK;
        nanosleep(&pause, NULL);
    }
    return ETIMEDOUT;
}

static int is_waiting(int number)
{
    sigset_t waiting;
    return sigpending(&waiting) == 0 && sigismember(&waiting, number) == 1;
}

int rt_process_enter(struct rt_inside *inside)
{
    static const int at_once[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP, SIGSYS};
    sigset_t later;
    sigfillset(&later);
    for (size_t i = 0; i < sizeof at_once / sizeof at_once[0]; i++)
        sigdelset(&later, at_once[i]);
    pthread_sigmask(SIG_BLOCK, &later, &inside->mask);
    int error = take_turn();
    if (error) {
        pthread_sigmask(SIG_SETMASK, &inside->mask, NULL);
        return error;
    }
    inside->broke_pipe = is_waiting(SIGPIPE);
    inside->grew_too_large = is_waiting(SIGXFSZ);
    inside->parent_death = 0;
#ifdef __linux__
    /* A parent that ends now must not end this process in the middle of writing. */
    if (prctl(PR_GET_PDEATHSIG, &inside->parent_death) == 0 && inside->parent_death == SIGKILL)
        prctl(PR_SET_PDEATHSIG, 0);
#endif
    return 0;
}

static void swallow(int number)
{
    const struct timespec now = {0, 0};
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, number);
    while (is_waiting(number) && sigtimedwait(&set, NULL, &now) < 0 && errno == EINTR)
        continue;
}

void rt_process_leave(const struct rt_inside *inside)
{
    if (!inside->broke_pipe)
        swallow(SIGPIPE);
    if (!inside->grew_too_large)
        swallow(SIGXFSZ);
#ifdef __linux__
    if (inside->parent_death == SIGKILL)
        prctl(PR_SET_PDEATHSIG, SIGKILL);
#endif
    __atomic_store_n(&holder, 0, __ATOMIC_RELEASE);
    pthread_sigmask(SIG_SETMASK, &inside->mask, NULL);
}

/* Only the thread that forked is here; one that was inside in the parent is not. */
static void forked(void)
{
    holder = 0;
    known = getpid();
    rt_target_forked();
}

void rt_process_watch_forks(void)
{
    if (known)
        return;
    known = getpid();
    pthread_atfork(NULL, NULL, forked);
}

int rt_process_is_known(void)
{
    return known == 0 || known == getpid();
}
