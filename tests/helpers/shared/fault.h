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
    FAULT_CLOSE, /* the file is closed all the same */
    FAULT_RENAME,
    FAULT_ARENA,  /* all that is taken from an arena, which seldom needs memory of the system's */
    FAULT_ZLIB,   /* uncompress and compress2, for lack of memory */
    FAULT_RANDOM, /* getrandom */
    FAULT_CALLS
};

/* Nothing fails, and all counts are 0. */
void fault_reset(void);
/* Resets, then: the at-th call from now on (1 = the next) fails with that errno; the ones after it work. */
void fault_fail(enum fault_call call, uint64_t at, int sys_errno);
/* Reads and writes move at most so many bytes at a time; 0 = no limit. Ended by fault_reset. */
void fault_short(size_t most);
/* How many calls there were since the reset. */
uint64_t fault_count(enum fault_call call);
/* Counts a call, for what stands in for it: is it the one that fails? */
bool fault_fails(enum fault_call call);
/* Did the call that was to fail come? */
bool fault_hit(void);

#endif
