/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Filling in struct apf_error. Message text is made in error.c and nowhere else. */
#ifndef BASE_ERROR_H
#define BASE_ERROR_H

#include <anyprof/error.h>

#include "base/compiler.h"

#define NO_OFFSET UINT64_MAX

/* A place in a file: the field's dotted name and where it is. */
struct error_at {
    const char *where;
    uint64_t offset;
    uint64_t found;
    uint64_t expected;
};

/* All of these fill `error` when it is not NULL and return `code`, so that a caller can write
 * `return error_at(...)`. `detail` is what LLVM appends after ": " to the words of the code, or NULL. */
int error_at(struct apf_error *error, int code, struct error_at at, const char *detail, ...)
    PRINTF_LIKE(4, 5);
/* The same without a place, for what is not about bytes of a file. */
int error_plain(struct apf_error *error, int code, const char *where, const char *detail, ...)
    PRINTF_LIKE(4, 5);
/* At a line of a text file. */
int error_line(struct apf_error *error, int code, const char *where, uint64_t offset, uint32_t line,
               const char *detail);
int error_memory(struct apf_error *error);
int error_errno(struct apf_error *error, int sys_errno, const char *where);

#endif
