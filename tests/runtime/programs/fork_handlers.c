/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Forks in a program that has handlers for them, from a constructor of its own, or threads. Arguments: what is tried,
 * how often, a file. With LIBRARY: a library to be loaded and unloaded meanwhile. */
#include "many.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

int loaded(int n);
int __llvm_profile_write_file(void);
void __llvm_profile_set_filename(const char *name);

int loaded(int n)
{
    for (function *const *f = many; *f; f++)
        (*f)();
    return n + 1;
}

#ifndef LIBRARY

enum { THREADS = 16, MEMORY = 100 << 20 };
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static const char *file;
static long times;
static int failed, stop;

__attribute__((noinline)) static void mark_0(void)
{
    __asm__ volatile("");
}

__attribute__((noinline)) static void mark_1(void)
{
    __asm__ volatile("");
}

__attribute__((noinline)) static void mark_2(void)
{
    __asm__ volatile("");
}

static void lock(void)
{
    pthread_mutex_lock(&mutex);
}

static void unlock(void)
{
    pthread_mutex_unlock(&mutex);
}

static void write_now(void)
{
    failed |= __llvm_profile_write_file();
}

static void rename_it(void)
{
    __llvm_profile_set_filename(file);
}

/* The C library gives them what main gets. */
__attribute__((constructor)) static void early(int argc, char **argv)
{
    if (argc > 1 && strcmp(argv[1], "count") == 0)
        pthread_atfork(mark_0, mark_1, mark_2);
    else if (argc > 1 && strcmp(argv[1], "lock") == 0)
        pthread_atfork(lock, unlock, unlock);
    else if (argc > 1 && strcmp(argv[1], "name") == 0)
        pthread_atfork(write_now, NULL, rename_it);
}

/* The child must end as it wants to, and this thread must have its signals. */
static void fork_often(void (*in_child)(void))
{
    for (long i = 0; i < times; i++) {
        int status = 0;
        sigset_t blocked;
        pid_t child = fork();
        if (child == 0) {
            if (in_child)
                in_child();
            exit(0);
        }
        waitpid(child, &status, 0);
        pthread_sigmask(SIG_BLOCK, NULL, &blocked);
        if (status || sigismember(&blocked, SIGTERM))
            __atomic_store_n(&failed, 1, __ATOMIC_RELAXED);
    }
}

static void *fork_in_thread(void *unused)
{
    fork_often(mark_2);
    return unused;
}

static void *write_locked(void *unused)
{
    while (!__atomic_load_n(&stop, __ATOMIC_RELAXED)) {
        lock();
        if (__llvm_profile_write_file())
            __atomic_store_n(&failed, 1, __ATOMIC_RELAXED);
        unlock();
        usleep(200);
    }
    return unused;
}

static void *load(void *unused)
{
    while (!__atomic_load_n(&stop, __ATOMIC_RELAXED)) {
        void *library = dlopen(file, RTLD_NOW);
        int (*function)(int) = NULL;
        if (library)
            *(void **)&function = dlsym(library, "loaded");
        if (!function || function(1) != 2)
            __atomic_store_n(&failed, 1, __ATOMIC_RELAXED);
        if (library)
            dlclose(library);
    }
    return unused;
}

/* Opens the profile for writing again and again: the kernel signals each open to the holder of a lease. */
static void *open_it(void *unused)
{
    while (!__atomic_load_n(&stop, __ATOMIC_RELAXED)) {
        int fd = open(file, O_WRONLY | O_NONBLOCK);
        if (fd >= 0)
            close(fd);
    }
    return unused;
}

static void signalled(int number)
{
    (void)number;
    failed = 1;
}

static void write_often(void)
{
    (void)loaded(1);
    signal(SIGURG, signalled);
    signal(SIGIO, signalled);
    for (long i = 0; i < times; i++)
        write_now();
}

/* In exit the C library waits for ever if its loader was at work in another thread. */
static void leave(void)
{
    _exit(0);
}

static void fork_and_leave(void)
{
    fork_often(leave);
}

/* Does something while another thread does something else. */
static void beside(void (*this)(void), void *(*other)(void *))
{
    pthread_t thread;
    pthread_create(&thread, NULL, other, NULL);
    this();
    __atomic_store_n(&stop, 1, __ATOMIC_RELAXED);
    pthread_join(thread, NULL);
}

/* Much memory makes forks take long. */
static void fork_in_threads(void)
{
    pthread_t threads[THREADS];
    char *memory = malloc(MEMORY);
    if (memory)
        memset(memory, 1, MEMORY);
    for (int i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, fork_in_thread, NULL);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    free(memory);
}

int main(int argc, char **argv)
{
    if (argc < 4)
        return 2;
    times = strtol(argv[2], NULL, 10);
    file = argv[3];
    if (strcmp(argv[1], "load") == 0)
        beside(fork_and_leave, load);
    else if (strcmp(argv[1], "lock") == 0)
        beside(fork_and_leave, write_locked);
    else if (strcmp(argv[1], "lease") == 0)
        beside(write_often, open_it);
    else if (strcmp(argv[1], "threads") == 0)
        fork_in_threads();
    else
        fork_often(NULL);
    return failed;
}

#endif
