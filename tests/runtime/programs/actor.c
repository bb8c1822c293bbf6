/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Does what its arguments say, one after the other. What it counts is known: mark:N calls a function of its own, so do
 * marks:N:TIMES and all (each function of MANY, a file of lines F(0) F(1) ...). "fork ... end" and "forkbg ... end"
 * are what a child does, which the parent waits for or not. The program prints what functions returned. */
#define _GNU_SOURCE
#include "many.h"

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

int __llvm_profile_write_file(void);
int __llvm_profile_dump(void);
void __llvm_profile_reset_counters(void);
void __llvm_profile_set_filename(const char *);
char *__llvm_profile_begin_counters(void);
char *__llvm_profile_end_counters(void);
extern char **environ;

#define MARK(n)                                                                                              \
    __attribute__((noinline)) static void mark_##n(void)                                                     \
    {                                                                                                        \
        sink = n;                                                                                            \
    }
MARK(0)
MARK(1)
MARK(2)
MARK(3)
MARK(4)
MARK(5)
MARK(6)
MARK(7) static function *const marks[] = {mark_0, mark_1, mark_2, mark_3, mark_4, mark_5, mark_6, mark_7};

static char **argument;
static unsigned long number[3];

static void say(const char *what, long result)
{
    char line[200];
    int n = snprintf(line, sizeof line, "%s %ld\n", what, result);
    (void)!write(1, line, (size_t)n);
}

static void mark(unsigned long n, unsigned long times)
{
    while (times--)
        (n < 8 ? marks[n] : many[n - 8])();
}

static void all(void)
{
    for (function *const *f = many; *f; f++)
        (*f)();
}

__attribute__((noinline)) static int overflow(volatile char *above)
{
    volatile char room[4096];
    room[0] = above[0];
    return above ? overflow(room) + room[0] : 0;
}

static void handler(int signal_number)
{
    (void)signal_number;
    mark_7();
    exit(42);
}

static void *thread(void *what)
{
    unsigned long n = number[1];
    if (what)
        while (n--)
            (void)__llvm_profile_write_file();
    else
        mark(1, n);
    return NULL;
}

/* number[0] threads; writers write, the others count. */
static void threads(int writers)
{
    pthread_t ids[64];
    for (unsigned long i = 0; i < number[0]; i++)
        pthread_create(&ids[i], NULL, thread, writers ? "w" : NULL);
    for (unsigned long i = 0; i < number[0]; i++)
        pthread_join(ids[i], NULL);
}

/* number[0] threads count, and this one writes all the while. */
static void dumping(void)
{
    pthread_t ids[64];
    for (unsigned long i = 0; i < number[0]; i++)
        pthread_create(&ids[i], NULL, thread, NULL);
    for (int i = 0; i < 400; i++)
        if (__llvm_profile_write_file())
            say("write", i);
    for (unsigned long i = 0; i < number[0]; i++)
        pthread_join(ids[i], NULL);
}

/* Divides all counters, as threads do to each other's counts, and programs that know no reset. 0: sets them to 0. */
static void divide(uint64_t by)
{
    uint64_t *first = (uint64_t *)(void *)__llvm_profile_begin_counters();
    for (uint64_t *c = first; c < (uint64_t *)(void *)__llvm_profile_end_counters(); c++)
        *c = by ? (*c + by - 1) / by : 0;
}

/* Files of the program's own: it closes all that it has, as daemons do, and opens one. */
static void closes(const char *path)
{
    for (int i = 3; i < 1024; i++)
        close(i);
    say("opened", open(path, O_WRONLY | O_CREAT | O_TRUNC | O_APPEND, 0644));
}

/* Not a byte is left; "memory:1": there is some again. */
static void use_up_memory(void)
{
    setrlimit(RLIMIT_AS, &(struct rlimit){number[0] ? RLIM_INFINITY : 64 << 20, RLIM_INFINITY});
    if (number[0])
        return;
    for (size_t n = 1 << 20; n >= 4096; n /= 2)
        while (mmap(NULL, n, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) != MAP_FAILED)
            continue;
    for (void *volatile last = ""; last;)
        last = malloc(1);
}

static void skip_child(void)
{
    for (unsigned depth = 1; depth;) {
        argument++;
        depth += strcmp(argument[1], "fork") == 0 || strcmp(argument[1], "forkbg") == 0 ||
                 strcmp(argument[1], "rawfork") == 0;
        depth -= strcmp(argument[1], "end") == 0;
    }
}

static void wait_for(pid_t child)
{
    int status = 0;
    while (waitpid(child, &status, 0) < 0)
        continue;
    if (status)
        say("child", status);
}

/* Children end where their list does. */
static void forked(pid_t child, int waits)
{
    if (child == 0)
        return;
    skip_child();
    if (waits)
        wait_for(child);
}

static void vfork_exit(void)
{
    pid_t child = vfork();
    if (child == 0)
        _exit(3);
    wait_for(child);
}

static int ends(const char *what)
{
    int code = (int)number[0];
    if (strcmp(what, "exit") == 0 || strcmp(what, "end") == 0)
        exit(code);
    if (strcmp(what, "_exit") == 0)
        _exit(code);
    if (strcmp(what, "_Exit") == 0)
        _Exit(code);
    if (strcmp(what, "quick") == 0)
        quick_exit(code);
    if (strcmp(what, "abort") == 0)
        abort();
    if (strcmp(what, "segv") == 0)
        *(volatile int *)(uintptr_t)8 = 1;
    if (strcmp(what, "overflow") == 0)
        exit(overflow("") & 1);
    if (strcmp(what, "raise") == 0)
        raise(code);
    return strcmp(what, "raise") == 0;
}

static int processes(const char *what)
{
    if (strcmp(what, "fork") == 0)
        forked(fork(), 1);
    else if (strcmp(what, "forkbg") == 0)
        forked(fork(), 0);
    else if (strcmp(what, "rawfork") == 0)
        forked((pid_t)syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0), 1);
    else if (strcmp(what, "daemon") == 0)
        say(what, daemon(1, 1));
    else if (strcmp(what, "vfork_exit") == 0)
        vfork_exit();
    else if (strcmp(what, "waitall") == 0)
        while (wait(NULL) > 0)
            continue;
    else if (strcmp(what, "threads") == 0)
        threads(0);
    else if (strcmp(what, "dumping") == 0)
        dumping();
    else if (strcmp(what, "writers") == 0)
        threads(1);
    else
        return 0;
    return 1;
}

static int surroundings(const char *what, const char *text)
{
    char byte;
    if (strcmp(what, "chdir") == 0)
        say(what, chdir(text));
    else if (strcmp(what, "umask") == 0)
        umask((mode_t)strtoul(text, NULL, 8));
    else if (strcmp(what, "name") == 0)
        __llvm_profile_set_filename(text);
    else if (strcmp(what, "closes") == 0)
        closes(text);
    else if (strcmp(what, "put") == 0)
        say(what, write(3, text, strlen(text)));
    else if (strcmp(what, "print") == 0) /* it is in a buffer until the end */
        puts(text);
    else if (strcmp(what, "memory") == 0)
        use_up_memory();
    else if (strcmp(what, "handler") == 0)
        signal((int)number[0], handler);
    else if (strcmp(what, "ignore") == 0)
        signal((int)number[0], SIG_IGN);
    else if (strcmp(what, "disposition") == 0)
        say(what, signal((int)number[0], SIG_DFL) == handler);
    else if (strcmp(what, "ready") == 0)
        (void)!write((int)number[0], "ready\n", 6);
    else if (strcmp(what, "await") == 0)
        (void)!read((int)number[0], &byte, 1);
    else if (strcmp(what, "environ") == 0)
        for (char **e = environ; *e; e++)
            puts(*e);
    else if (strcmp(what, "limit") == 0)
        setrlimit(RLIMIT_FSIZE, &(struct rlimit){number[0], RLIM_INFINITY});
    else if (strcmp(what, "pause") == 0)
        pause();
    else if (strcmp(what, "sleep") == 0)
        nanosleep(&(struct timespec){(time_t)(number[0] / 1000), (long)(number[0] % 1000) * 1000000}, NULL);
    else
        return 0;
    return 1;
}

static void act(const char *what, const char *text)
{
    if (strcmp(what, "mark") == 0)
        mark(number[0], 1);
    else if (strcmp(what, "marks") == 0)
        mark(number[0], number[1]);
    else if (strcmp(what, "all") == 0)
        all();
    else if (strcmp(what, "write") == 0)
        say(what, __llvm_profile_write_file());
    else if (strcmp(what, "writes") == 0)
        for (unsigned long i = 0; i < number[0]; i++) {
            mark_0();
            if (__llvm_profile_write_file())
                say("write", (long)i);
        }
    else if (strcmp(what, "dump") == 0)
        say(what, __llvm_profile_dump());
    else if (strcmp(what, "reset") == 0)
        __llvm_profile_reset_counters();
    else if (strcmp(what, "divide") == 0)
        divide(number[0]);
    else if (strcmp(what, "count") == 0) /* for ever, and says how far it is */
        for (unsigned long i = 1;; i++) {
            mark_0();
            *(volatile unsigned long *)&number[2] = i;
            if (i % number[0] == 0)
                say(what, (long)i);
        }
    else if (!ends(what) && !processes(what) && !surroundings(what, text))
        say("unknown", 0);
}

int main(int argc, char **argv)
{
    (void)argc;
    for (argument = argv; argument[1]; argument++) {
        static char what[4096]; /* there may be no memory */
        snprintf(what, sizeof what, "%s", argument[1]);
        char *text = strchr(what, ':');
        if (text)
            *text++ = 0;
        number[0] = text ? strtoul(text, &text, 10) : 0;
        number[1] = text && *text == ':' ? strtoul(text + 1, NULL, 10) : 1;
        text = strchr(argument[1], ':');
        if (strcmp(what, "exec") == 0) {
            execv(argv[0], argument + 1);
            return 9;
        }
        act(what, text ? text + 1 : "");
    }
    return 0;
}
