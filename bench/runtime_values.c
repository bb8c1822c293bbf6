/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Runs indirect calls or memory operations in a loop; prints the nanoseconds per round.
 *
 *     runtime_values calls|sizes DIFFERENT TIMES THREADS       DIFFERENT: number of targets or sizes */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MOST = 64 };

#define TARGET(n)                                                                                            \
    __attribute__((noinline)) static int target##n(int x)                                                    \
    {                                                                                                        \
        return x ^ n;                                                                                        \
    }
#define EIGHT(n)                                                                                             \
    TARGET(n##0) TARGET(n##1) TARGET(n##2) TARGET(n##3) TARGET(n##4) TARGET(n##5) TARGET(n##6) TARGET(n##7)
EIGHT(1)
EIGHT(2)
EIGHT(3)
EIGHT(4)
EIGHT(5)
#define EIGHT_NAMES(n)                                                                                       \
    target##n##0, target##n##1, target##n##2, target##n##3, target##n##4, target##n##5, target##n##6,        \
        target##n##7
static int (*const targets[])(int) = {EIGHT_NAMES(1), EIGHT_NAMES(2), EIGHT_NAMES(3), EIGHT_NAMES(4),
                                      EIGHT_NAMES(5)};

static int different;
static long times;
static int is_calls;

__attribute__((noinline)) static int call_them(long n, int most)
{
    int sum = 0;
    for (int at = 0; n--; at = at + 1 < most ? at + 1 : 0)
        sum = targets[at](sum);
    return sum;
}

__attribute__((noinline)) static int copy_them(char *to, const char *from, long n, int most)
{
    for (int at = 0; n--; at = at + 1 < most ? at + 1 : 0)
        memcpy(to, from, (size_t)at * 3 + 1);
    return to[0];
}

static void *work(void *unused)
{
    char to[256] = {0}, from[256] = {1};
    volatile int sink = is_calls ? call_them(times, different) : copy_them(to, from, times, different);
    (void)sink;
    return unused;
}

int main(int argc, char **argv)
{
    struct timespec start, end;
    pthread_t threads[MOST];
    if (argc != 5)
        return 2;
    is_calls = strcmp(argv[1], "calls") == 0;
    different = (int)strtol(argv[2], NULL, 10);
    times = strtol(argv[3], NULL, 10);
    int n = (int)strtol(argv[4], NULL, 10);
    clock_gettime(CLOCK_MONOTONIC, &start);
    for (int i = 1; i < n; i++)
        pthread_create(&threads[i], NULL, work, NULL);
    work(NULL);
    for (int i = 1; i < n; i++)
        pthread_join(threads[i], NULL);
    clock_gettime(CLOCK_MONOTONIC, &end);
    double ns = (double)(end.tv_sec - start.tv_sec) * 1e9 + (double)(end.tv_nsec - start.tv_nsec);
    printf("%.3f\n", ns / (double)times);
    return 0;
}
