/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "counters.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

void counter_print(uint64_t n, const char *meaning)
{
    fprintf(stderr, "%14" PRIu64 "           %s\n", n, meaning);
}

void counter_print_share(uint64_t n, uint64_t of, const char *format, ...)
{
    va_list arguments;
    if (!n)
        return;
    fprintf(stderr, "%14" PRIu64 "  %5.1f %%  ", n, of ? 100.0 * (double)n / (double)of : 0.0);
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fputc('\n', stderr);
}
