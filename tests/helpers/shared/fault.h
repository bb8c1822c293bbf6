/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Makes calls of the library fail inside a unit test program, in which tests/unit/CMakeLists.txt has the linker replace
 * those calls. Calls from shared libraries (libc, zlib) are not seen; tests/helpers/preload/ sees those of a whole
 * process. Several threads may make calls, but only one may use the functions below, while no other thread runs. */
#ifndef HELPERS_SHARED_FAULT_H
#define HELPERS_SHARED_FAULT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum fault_call {
    FAULT_MEMORY, /* malloc, calloc, realloc, strdup */
    FAULT_OPEN,
    FAULT_READ,
    FAULT_WRITE,
    FAULT_CLOSE, /* the file is closed nevertheless */
    FAULT_RENAME,
    FAULT_ARENA,  /* allocations from an arena, which seldom calls malloc */
    FAULT_ZLIB,   /* libdeflate_alloc_(de)compressor and compress2, for lack of memory */
    FAULT_RANDOM, /* getrandom */
    FAULT_CALLS
};

/* Resets: nothing fails, and all counts are 0. */
void fault_reset(void);
/* Resets, then: the at-th call from now on (1 = the next) fails with that errno; the ones after it work. */
void fault_fail(enum fault_call call, uint64_t at, int sys_errno);
/* Limits the bytes that one read or write moves; 0 = no limit. fault_reset removes the limit. */
void fault_short(size_t most);
/* The number of calls since the reset. */
uint64_t fault_count(enum fault_call call);
/* Counts a call, for the replacement of a function. Returns whether this call must fail. */
bool fault_fails(enum fault_call call);
/* Whether the call that had to fail was made. */
bool fault_hit(void);

#endif
