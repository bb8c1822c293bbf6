/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Runs two commands in turn and compares what they cost.
 *
 *     compare RUNS NAME COMMAND-A COMMAND-B      shell commands
 *     compare RUNS COMMAND
 *
 * Prints one row: CPU seconds, wall seconds and peak memory of both (medians), and the ratios B / A run by run
 * (medians). The commands alternate, so that a machine whose speed drifts is fair to both. Before each run that counts
 * there is one of the same command that does not: what a command finds in caches, and in memory that the host of a
 * virtual machine has taken back, does not depend on the other one. For a single command it prints the highest peak of
 * memory, in KB. */
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define MOST_RUNS 101

struct cost {
    double cpu, wall, peak; /* s, s, MB of 10^6 bytes */
};

static double seconds(struct timeval t)
{
    return (double)t.tv_sec + (double)t.tv_usec / 1e6;
}

static struct cost run(const char *command)
{
    struct timespec start, end;
    struct rusage usage;
    int status;
    clock_gettime(CLOCK_MONOTONIC, &start);
    pid_t pid = fork();
    if (pid == 0) {
        execl("/bin/sh", "sh", "-c", command, (char *)NULL);
        _exit(127);
    }
    if (pid < 0 || wait4(pid, &status, 0, &usage) != pid || status != 0) {
        fprintf(stderr, "compare: failed: %s\n", command);
        exit(1);
    }
    clock_gettime(CLOCK_MONOTONIC, &end);
    struct cost c = {seconds(usage.ru_utime) + seconds(usage.ru_stime),
                     (double)(end.tv_sec - start.tv_sec) + (double)(end.tv_nsec - start.tv_nsec) / 1e9,
                     (double)usage.ru_maxrss * 1024 / 1e6}; /* Linux counts in KiB */
    return c;
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double *v, int n)
{
    qsort(v, (size_t)n, sizeof *v, by_value);
    return v[n / 2];
}

/* The median of one figure of a, or, if b is not NULL, of its ratio b / a. */
static double figure(const struct cost *a, const struct cost *b, int n, size_t offset)
{
    double v[MOST_RUNS];
    for (int i = 0; i < n; i++) {
        double x, y = 1;
        memcpy(&x, (const char *)&a[i] + offset, sizeof x);
        if (b)
            memcpy(&y, (const char *)&b[i] + offset, sizeof y);
        v[i] = x / y;
    }
    return median(v, n);
}

static void print_peak(const char *command, int n)
{
    double peak = 0;
    for (int i = 0; i < n; i++) {
        struct cost c = run(command);
        peak = c.peak > peak ? c.peak : peak;
    }
    printf("%.0f\n", peak * 1000);
}

static void print_row(const char *name, const char *ours, const char *theirs, int n)
{
    struct cost a[MOST_RUNS], b[MOST_RUNS];
    for (int i = 0; i < n; i++) {
        run(ours);
        a[i] = run(ours);
        run(theirs);
        b[i] = run(theirs);
    }
    printf("%-34s", name);
    static const size_t offsets[] = {offsetof(struct cost, cpu), offsetof(struct cost, wall),
                                     offsetof(struct cost, peak)};
    for (int k = 0; k < 3; k++)
        printf(" | %8.3f %8.3f %6.1fx", figure(a, NULL, n, offsets[k]), figure(b, NULL, n, offsets[k]),
               figure(b, a, n, offsets[k]));
    printf("\n");
}

int main(int argc, char **argv)
{
    long given = argc == 3 || argc == 5 ? strtol(argv[1], NULL, 10) : 0;
    int n = (int)given;
    if (given < 1 || given > MOST_RUNS) {
        fprintf(stderr, "usage: compare RUNS NAME COMMAND-A COMMAND-B | RUNS COMMAND\n");
        return 2;
    }
    if (argc == 3)
        print_peak(argv[2], n);
    else
        print_row(argv[2], argv[3], argv[4], n);
    return 0;
}
