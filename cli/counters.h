/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Counters that commands report on standard error, one in a line. */
#ifndef CLI_COUNTERS_H
#define CLI_COUNTERS_H

#include <stdint.h>

#include "report.h"

/* Prints a counter and what it means. */
void counter_print(uint64_t n, const char *meaning);
/* Prints a counter, its share of another one in per cent, and what it means; nothing if it is 0. */
CLI_PRINTF(3, 4) void counter_print_share(uint64_t n, uint64_t of, const char *format, ...);

#endif
