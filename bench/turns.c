/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Runs two programs in turn, like compare.c, but without a shell, for programs that are faster than a shell.
 *
 *     turns ROUNDS TIMES NAME FILE|- A B [ARGUMENT...]
 *
 * A round runs A TIMES times, then B. FILE is removed before each run. Prints medians over the rounds, for A, B and
 * A / B: wall time and CPU time of a run in microseconds, peak memory in MB of 10^6 bytes, and the number that the run
 * prints, if any. A first round is not counted. */
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define MOST_ROUNDS 1001

enum { WALL, CPU, PEAK, SAID, FIGURES };

struct cost {
    double figure[FIGURES];
};

static void fail(const char *what)
{
    fprintf(stderr, "turns: %s: %s\n", what, strerror(errno));
    exit(1);
}

/* Reads the number that the program prints; -1: none. */
static double read_number(int fd)
{
    char text[64];
    size_t n = 0;
    ssize_t got;
    while (n < sizeof text - 1 && (got = read(fd, text + n, sizeof text - 1 - n)) > 0)
        n += (size_t)got;
    text[n] = 0;
    return n ? strtod(text, NULL) : -1;
}

static struct cost run(char **argv)
{
    posix_spawn_file_actions_t actions;
    struct timespec start, end;
    struct rusage usage;
    struct cost cost;
    int status, ends[2];
    pid_t pid;
    if (pipe(ends) || posix_spawn_file_actions_init(&actions) ||
        posix_spawn_file_actions_adddup2(&actions, ends[1], 1) ||
        /* Warnings, which may be thousands, are discarded. */
        posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0) ||
        posix_spawn_file_actions_addclose(&actions, ends[0]) ||
        posix_spawn_file_actions_addclose(&actions, ends[1]))
        fail("pipe");
    clock_gettime(CLOCK_MONOTONIC, &start);
    if ((errno = posix_spawn(&pid, argv[0], &actions, NULL, argv, environ)))
        fail(argv[0]);
    close(ends[1]);
    cost.figure[SAID] = read_number(ends[0]);
    if (wait4(pid, &status, 0, &usage) != pid || status != 0)
        fail(argv[0]);
    clock_gettime(CLOCK_MONOTONIC, &end);
    close(ends[0]);
    posix_spawn_file_actions_destroy(&actions);
    cost.figure[WALL] =
        (double)(end.tv_sec - start.tv_sec) * 1e6 + (double)(end.tv_nsec - start.tv_nsec) / 1e3;
    cost.figure[CPU] = (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1e6 +
                       (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
    cost.figure[PEAK] = (double)usage.ru_maxrss * 1024 / 1e6; /* Linux counts in KiB */
    return cost;
}

/* Runs one round; returns the mean of its runs. */
static struct cost run_often(char **argv, long times, const char *file)
{
    struct cost sum = {0};
    for (long i = 0; i < times; i++) {
        if (file && unlink(file) && errno != ENOENT)
            fail(file);
        struct cost cost = run(argv);
        for (int k = 0; k < FIGURES; k++)
            sum.figure[k] += cost.figure[k] / (double)times;
    }
    return sum;
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The median of one figure of a, or, if b is not NULL, of its ratio b / a. */
static double median(const struct cost *a, const struct cost *b, int n, int k)
{
    double v[MOST_ROUNDS];
    for (int i = 0; i < n; i++)
        v[i] = b ? a[i].figure[k] / b[i].figure[k] : a[i].figure[k];
    qsort(v, (size_t)n, sizeof *v, by_value);
    return v[n / 2];
}

int main(int argc, char **argv)
{
    static struct cost a[MOST_ROUNDS], b[MOST_ROUNDS];
    long given = argc > 6 ? strtol(argv[1], NULL, 10) : 0, times = argc > 6 ? strtol(argv[2], NULL, 10) : 0;
    int rounds = (int)given;
    if (given < 1 || given > MOST_ROUNDS || times < 1) {
        fprintf(stderr, "usage: turns ROUNDS TIMES NAME FILE|- A B [ARGUMENT...]\n");
        return 2;
    }
    const char *name = argv[3], *file = strcmp(argv[4], "-") ? argv[4] : NULL;
    char *ours = argv[5], *theirs = argv[6];
    for (int i = -1; i < rounds; i++) {
        argv[6] = ours;
        struct cost first = run_often(argv + 6, times, file);
        argv[6] = theirs;
        struct cost second = run_often(argv + 6, times, file);
        if (i >= 0) {
            a[i] = first;
            b[i] = second;
        }
    }
    printf("%-44s", name);
    for (int k = 0; k < FIGURES; k++) {
        if (k == SAID && median(a, NULL, rounds, k) < 0)
            continue;
        int digits = k == PEAK ? 1 : 0;
        printf(" | %8.*f %8.*f %5.2f", digits, median(a, NULL, rounds, k), digits, median(b, NULL, rounds, k),
               median(a, b, rounds, k));
    }
    printf("\n");
    return 0;
}
