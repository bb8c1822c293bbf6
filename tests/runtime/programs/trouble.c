/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Programs that trouble a runtime; the argument chooses how. `counted` runs once in each. Libraries are in the
 * variables A and B, with a function `counted_there`. */
#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

extern int __llvm_profile_write_file(void);

__attribute__((noinline)) static void counted(void)
{
    __asm__ volatile("");
}

static void *opened(const char *variable)
{
    void *library = dlopen(getenv(variable), RTLD_NOW);
    if (!library) {
        fputs(dlerror(), stderr);
        _exit(9);
    }
    return library;
}

static void call(void *library)
{
    void (*function)(void);
    *(void **)&function = dlsym(library, "counted_there");
    function();
}

static void *writer(void *unused)
{
    for (int i = 0; i < 50; i++)
        __llvm_profile_write_file();
    return unused;
}

static void *for_ever(void *unused)
{
    for (;;) {
        __llvm_profile_write_file();
        pthread_testcancel();
    }
    return unused;
}

/* How many descriptors and mappings the process has. */
static int lines_of(const char *command)
{
    char line[64] = "";
    FILE *pipe = popen(command, "r");
    if (!pipe || !fgets(line, sizeof line, pipe) || pclose(pipe))
        return -1;
    return atoi(line);
}

static void load_often(int times)
{
    for (int i = 0; i < times; i++) {
        void *library = opened("A");
        call(library);
        dlclose(library);
    }
    printf("%d %d\n", lines_of("ls /proc/$PPID/fd | wc -l"), lines_of("wc -l < /proc/$PPID/maps"));
}

static void in_threads(void)
{
    pthread_t threads[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, writer, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
}

static void cancelled(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, for_ever, NULL);
    usleep(20000);
    pthread_cancel(thread);
    pthread_join(thread, NULL);
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "";
    counted();
    if (strcmp(what, "unload the first, crash") == 0) {
        void *first = opened("A"), *second = opened("B");
        call(first);
        call(second);
        dlclose(first);
        abort();
    }
    if (strcmp(what, "load often") == 0)
        load_often(200);
    if (strcmp(what, "fork, load") == 0) {
        if (fork() == 0)
            exit(0);
        wait(NULL);
        void *library = opened("A");
        call(library);
        dlclose(library);
    }
    if (strcmp(what, "threads write") == 0)
        in_threads();
    if (strcmp(what, "cancel") == 0)
        cancelled();
    if (strcmp(what, "parent dies") == 0) {
        if (fork() == 0) {
            prctl(PR_SET_PDEATHSIG, SIGKILL);
            exit(0);
        }
        usleep(300000);
        _exit(0);
    }
    if (strcmp(what, "complain") == 0 && write(2, "complaint\n", 10) < 0)
        return 3;
    if (strcmp(what, "kill") == 0)
        kill(getpid(), 9);
    if (strcmp(what, "crash") == 0)
        abort();
    return 0;
}
