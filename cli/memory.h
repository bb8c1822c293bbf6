/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Allocations that end the program when they fail, and whole files in memory. */
#ifndef CLI_MEMORY_H
#define CLI_MEMORY_H

#include <stddef.h>
#include <stdint.h>

/* Room for n elements. Ends the program with an error when the allocation fails. */
void *checked_realloc(void *old, size_t n, size_t size);
/* Ends the program as that does. */
_Noreturn void out_of_memory(void);
/* A terminated copy, for free(). */
char *checked_copy(const char *text);
/* A whole file or, for "-", standard input, terminated; *n is without the terminator. NULL: errno says why. */
char *read_whole(const char *path, size_t *n);
/* read_whole that stops when there are at least `most` bytes; 0: no limit. */
char *read_some(const char *path, uint64_t most, size_t *n);

#endif
