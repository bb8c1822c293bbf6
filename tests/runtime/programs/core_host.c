/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The freestanding core in a program that has files: core_host PROFILE. Without CORE, compiler-rt's writes it. */
#include "bare_counted.h"

#include <stdio.h>

#ifdef CORE
#include <anyprof/rt.h>

static int send(void *file, const void *bytes, size_t n)
{
    return fwrite(bytes, 1, n, file) != n;
}
#endif

int main(int argc, char **argv)
{
    int sum = counted();
#ifdef CORE
    FILE *file = argc > 1 ? fopen(argv[1], "wb") : NULL;
    if (!file || apf_rt_write(send, file) || (uint64_t)ftell(file) != apf_rt_size() || fclose(file))
        return 2;
#endif
    (void)argc;
    (void)argv;
    return sum != 20;
}
