/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#define _GNU_SOURCE /* ppoll */
#include "collect_watch.h"

#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#ifdef __linux__
#include <sys/inotify.h>
#endif

static volatile sig_atomic_t stopped, hurried;

static void on_signal(int number)
{
    if (number == SIGHUP)
        hurried = 1;
    else
        stopped = 1;
}

static const int numbers[] = {SIGTERM, SIGINT, SIGHUP};
#define N_NUMBERS (sizeof numbers / sizeof *numbers)

void watch_open(struct watch *w)
{
    struct sigaction action = {.sa_handler = on_signal};
    *w = (struct watch){.fd = -1};
    sigemptyset(&w->signals);
    sigemptyset(&action.sa_mask);
    for (size_t i = 0; i < N_NUMBERS; i++)
        sigaddset(&w->signals, numbers[i]);
    sigprocmask(SIG_BLOCK, &w->signals, &w->before);
    for (size_t i = 0; i < N_NUMBERS; i++) {
        struct sigaction old;
        sigaction(numbers[i], &action, &old);
        if (old.sa_handler == SIG_IGN) /* as nohup does with SIGHUP */
            sigaction(numbers[i], &old, NULL);
    }
    signal(SIGIO, SIG_IGN); /* a program opens a file on which a lease is tried */
#ifdef __linux__
    w->fd = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
#endif
}

void watch_close(struct watch *w)
{
    if (w->fd >= 0)
        close(w->fd);
    for (size_t i = 0; i < N_NUMBERS; i++) {
        signal(numbers[i], SIG_IGN); /* a signal that waits was obeyed */
        signal(numbers[i], SIG_DFL);
    }
    sigprocmask(SIG_SETMASK, &w->before, NULL);
}

void watch_directory(struct watch *w, int directory)
{
#ifdef __linux__
    char path[64];
    snprintf(path, sizeof path, "/proc/self/fd/%d", directory);
    /* Without a watch, such as when the user has too many, the files are found when it is time. */
    if (w->fd >= 0)
        (void)inotify_add_watch(w->fd, path, IN_CREATE | IN_MOVED_TO | IN_CLOSE_WRITE | IN_ONLYDIR);
#else
    (void)w;
    (void)directory;
#endif
}

/* Counts the files that came. Hidden ones are those of our runtime while it writes, and locks. */
static void read_events(struct watch *w)
{
#ifdef __linux__
    _Alignas(struct inotify_event) char buffer[16384];
    ssize_t n;
    while ((n = read(w->fd, buffer, sizeof buffer)) > 0)
        for (const char *p = buffer; p < buffer + n;) {
            const void *at = p;
            const struct inotify_event *event = at;
            w->n_come += event->mask & IN_Q_OVERFLOW ? UINT32_MAX : event->len && event->name[0] != '.';
            p += sizeof *event + event->len;
        }
#else
    (void)w;
#endif
}

int64_t watch_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

bool watch_wait(struct watch *w, int64_t until, uint64_t many)
{
    int64_t left;
    while (!stopped && !hurried && w->n_come < many && (left = until - watch_now()) > 0) {
        const struct timespec most = {left / 1000, left % 1000 * 1000000};
        struct pollfd events = {.fd = w->fd, .events = POLLIN}; /* a descriptor below 0 is left out */
        if (ppoll(&events, 1, &most, &w->before) > 0)
            read_events(w);
    }
    hurried = 0;
    return w->n_come >= many;
}

bool watch_stops(struct watch *w)
{
    sigset_t waiting;
    if (sigpending(&waiting) == 0 &&
        (sigismember(&waiting, SIGTERM) == 1 || sigismember(&waiting, SIGINT) == 1))
        w->stop = true;
    w->stop = w->stop || stopped;
    return w->stop;
}
