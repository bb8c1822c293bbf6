#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Writes the source of a program of many functions, each with a branch, every tenth with an indirect call. The program
# calls each function once; its arguments are:
#
#     write         prints the microseconds of __llvm_profile_write_file and ends without running handlers
#     fork TIMES    prints the microseconds of a fork whose child ends at once
#
#     bench/runtime_functions.sh DIR [FUNCTIONS]        DIR/0.c, DIR/1.c ...; 100,000 functions by default
set -euo pipefail
result=$1 functions=${2:-100000}
per_file=1000
files=$(((functions + per_file - 1) / per_file))
mkdir -p "$result"
for ((file = 0; file < files; file++)); do
    awk -v file="$file" -v per_file="$per_file" -v files="$files" 'BEGIN {
        for (i = 0; i < per_file; i++) {
            n = file * per_file + i
            if (i % 10 == 0)
                printf "int f%d(int x, int (*f)(int)) { return x & %d ? f(x) : x + 1; }\n", n, n % 255 + 1
            else
                printf "int f%d(int x) { return x & %d ? x * 3 : x + 1; }\n", n, n % 255 + 1
        }
        printf "int all%d(int x) {\n", file
        for (i = 0; i < per_file; i++)
            printf i % 10 == 0 ? "    x = f%d(x, f%d);\n" : "    x = f%d(x);\n", file * per_file + i,
                file * per_file + i + 1
        print "    return x;\n}"
    }' >"$result/$file.c"
done
{
    cat <<'C'
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
int __llvm_profile_write_file(void);
static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e6 + (double)t.tv_nsec / 1e3;
}
C
    for ((file = 0; file < files; file++)); do
        echo "int all$file(int);"
    done
    echo 'int main(int argc, char **argv)'
    echo '{'
    echo '    int x = argc;'
    for ((file = 0; file < files; file++)); do
        echo "    x = all$file(x);"
    done
    cat <<'C'
    volatile int sink = x;
    (void)sink;
    double start = now();
    if (argc > 1 && strcmp(argv[1], "write") == 0) {
        if (__llvm_profile_write_file())
            return 1;
        printf("%.1f\n", now() - start);
        fflush(stdout);
        _exit(0);
    }
    if (argc > 2 && strcmp(argv[1], "fork") == 0) {
        int times = atoi(argv[2]);
        for (int i = 0; i < times; i++) {
            pid_t child = fork();
            if (child == 0)
                _exit(0);
            if (child < 0 || waitpid(child, NULL, 0) != child)
                return 1;
        }
        printf("%.1f\n", (now() - start) / times);
        fflush(stdout);
        _exit(0);
    }
    return 0;
}
C
} >"$result/main.c"
