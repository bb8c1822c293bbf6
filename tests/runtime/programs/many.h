/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Functions that make a program large: MANY is a file of lines F(0) F(1) ..., of which each becomes one. */
#ifndef MANY_H
#define MANY_H

#include <stddef.h>

static volatile unsigned sink;
typedef void function(void);
#define F(n)                                                                                                 \
    __attribute__((noinline)) static void many_##n(void)                                                     \
    {                                                                                                        \
        sink = n;                                                                                            \
    }
#ifdef MANY
#include MANY
#endif
#undef F
#define F(n) many_##n,
static function *const many[] = {
#ifdef MANY
#include MANY
#endif
    NULL};

#endif
