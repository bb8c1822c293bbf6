/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Shared by the programs that make the inputs of benchmarks. MAKER is the program's name in messages. */
#ifndef BENCH_MAKER_H
#define BENCH_MAKER_H

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static inline uint64_t next_random(uint64_t *state)
{
    uint64_t z = (*state += 0x9E3779B97F4A7C15u);
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
}

static inline void die(const char *what)
{
    fprintf(stderr, MAKER ": %s: %s\n", what, strerror(errno));
    exit(1);
}

static inline void *need(void *p)
{
    if (!p)
        die("memory");
    return p;
}

#endif
