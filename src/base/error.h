/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Filling in struct apf_error. Message text is made in error.c and nowhere else. */
#ifndef BASE_ERROR_H
#define BASE_ERROR_H

#include <stdbool.h>
#include <string.h>

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

/* These fill `error` when it is not NULL. `detail` is the text that LLVM appends after ": " to the words of the code,
 * or NULL. */
void error_set_at(struct apf_error *error, int code, struct error_at at, const char *detail, ...)
    PRINTF_LIKE(4, 5);
/* Whether `found` and `expected` are hashes, which have 16 hexadecimal digits, by the code or the name of the field. */
bool error_has_hashes(const struct apf_error *error);
/* As error_set_at, where `expected` is the largest or smallest right value. For APF_TOO_LARGE, APF_LIMIT, APF_TRUNCATED
 * and APF_UNSUPPORTED_VERSION error_set_at does the same. */
void error_set_bound(struct apf_error *error, int code, struct error_at at, const char *detail, ...)
    PRINTF_LIKE(4, 5);
/* As error_set_at, where found and expected are 8 bytes of the file, the first byte lowest. */
void error_set_magic(struct apf_error *error, int code, struct error_at at);
/* As error_set_at, without numbers to compare. */
void error_set_place(struct apf_error *error, int code, const char *where, uint64_t offset,
                     const char *detail);
/* As error_set_at, without a place: for errors that are not about bytes of a file. */
void error_set_plain(struct apf_error *error, int code, const char *where, const char *detail, ...)
    PRINTF_LIKE(4, 5);
/* As error_set_plain, with a message of only these words: LLVM's where they do not begin with the code's. */
void error_set_words(struct apf_error *error, int code, const char *where, const char *words);
void error_set_line(struct apf_error *error, int code, const char *where, uint64_t offset, uint32_t line,
                    const char *detail);
/* As error_set_line, with a known column. */
void error_set_column(struct apf_error *error, int code, const char *where, uint64_t offset, uint32_t line,
                      uint32_t column, const char *detail);
/* As error_set_column, with LLVM's words about a line of text and the line itself, which is cut if it is long, in place
 * of the code's words. */
struct error_quote {
    const char *where;
    uint64_t offset; /* of the place that is wrong */
    uint32_t line, column;
    const char *words;   /* up to the line */
    struct apf_str text; /* the line */
    /* a number that is too large, and the largest value it may have; most == 0: something else is wrong */
    uint64_t found, most;
};
void error_set_quote(struct apf_error *error, int code, const struct error_quote *quote);
/* Sets APF_UNSUPPORTED_VERSION with the words of LLVM for the format instead of the code's, and the place. */
void error_set_version(struct apf_error *error, struct error_at at, const char *words, ...) PRINTF_LIKE(3, 4);
/* Appends to the message of an error that was filled in. */
void error_add(struct apf_error *error, const char *detail, ...) PRINTF_LIKE(2, 3);
void error_set_errno(struct apf_error *error, int sys_errno, const char *where);
/* As error_set_errno, about a file that the caller does not know of. */
void error_set_errno_of(struct apf_error *error, int sys_errno, const char *where, const char *file);
/* As error_set_errno, for a code whose own words come first. */
void error_set_system(struct apf_error *error, int code, int sys_errno, const char *where);

/* Sets the subject of an error that was filled in, unless a more exact one is set or the error is APF_NO_MEMORY, which
 * is about no file. Returns the code. */
static inline int error_subject(struct apf_error *error, int code, enum apf_subject subject)
{
    if (error && code != APF_OK && code != APF_NO_MEMORY && error->subject == APF_SUBJECT_INPUT)
        error->subject = subject;
    return code;
}

/* Names the file that an error is about, unless a callee has named it or the error is about none. Returns the code. */
int error_file(struct apf_error *error, int code, const char *name, size_t n);
/* Sets the subject of an error to the output with this path, or to a callback (NULL). Returns the code. */
static inline int error_output(struct apf_error *error, int code, const char *path)
{
    code = error_subject(error, code, APF_SUBJECT_OUTPUT);
    return path && error && error->subject == APF_SUBJECT_OUTPUT ? error_file(error, code, path, strlen(path))
                                                                 : code;
}

/* Expressions whose value is the code, for `return error_at(...)`. They are macros so that compilers and analysers see
 * that a failure is returned. */
#define error_at(error, code, at, ...) (error_set_at((error), (code), (at), __VA_ARGS__), (code))
#define error_bound(error, code, at, ...) (error_set_bound((error), (code), (at), __VA_ARGS__), (code))
#define error_plain(error, code, where, ...) (error_set_plain((error), (code), (where), __VA_ARGS__), (code))

/* error_at and error_bound with their numbers as arguments; `detail` is text, or NULL. */
static inline int error_mismatch(struct apf_error *error, int code, const char *where, uint64_t offset,
                                 uint64_t found, uint64_t expected, const char *detail)
{
    struct error_at at = {where, offset, found, expected};
    return error_at(error, code, at, detail ? "%s" : NULL, detail);
}

static inline int error_out_of_bounds(struct apf_error *error, int code, const char *where, uint64_t offset,
                                      uint64_t found, uint64_t expected, const char *detail)
{
    struct error_at at = {where, offset, found, expected};
    return error_bound(error, code, at, detail ? "%s" : NULL, detail);
}

static inline int error_place(struct apf_error *error, int code, const char *where, uint64_t offset,
                              const char *detail)
{
    error_set_place(error, code, where, offset, detail);
    return code;
}

static inline int error_line(struct apf_error *error, int code, const char *where, uint64_t offset,
                             uint32_t line, const char *detail)
{
    error_set_line(error, code, where, offset, line, detail);
    return code;
}

static inline int error_quote(struct apf_error *error, int code, const struct error_quote *quote)
{
    error_set_quote(error, code, quote);
    return code;
}

static inline int error_magic(struct apf_error *error, int code, struct error_at at)
{
    error_set_magic(error, code, at);
    return code;
}

static inline int error_memory(struct apf_error *error)
{
    return error_plain(error, APF_NO_MEMORY, "memory", NULL);
}

static inline int error_errno(struct apf_error *error, int sys_errno, const char *where)
{
    error_set_errno(error, sys_errno, where);
    return APF_IO;
}

/* Calls the callback if there is one; APF_STOPPED when it asks to stop. */
int error_report_diag(apf_diag_fn *diag, void *user, const struct apf_diag *d, struct apf_error *error);

#endif
