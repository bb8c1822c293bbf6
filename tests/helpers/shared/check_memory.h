/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Checks profiles in memory, and compares the findings. */
#ifndef HELPERS_SHARED_CHECK_MEMORY_H
#define HELPERS_SHARED_CHECK_MEMORY_H

#include <anyprof/jobs.h>

#include "helpers/shared/unit.h"

#define MOST_CHECKED 64u

struct checked_finding {
    uint32_t severity;
    int32_t code;
    uint64_t offset, found, expected, hash;
    uint32_t line;
    char where[64], function[64];
};

struct checked {
    struct checked_finding list[MOST_CHECKED];
    size_t n;
    struct apf_check_verdict verdict;
    int code;
};

/* Checks bytes; the copy they are in ends where they end, so that the sanitizer sees a read after them. */
void check_memory_bytes(struct checked *c, const void *p, size_t n);
/* Checks bytes against programs. */
void check_memory_against(struct checked *c, const void *p, size_t n,
                          const struct apf_check_programs *programs);

/* Fails the test, at the caller's line, unless there is this finding with these numbers. Removes it from the list. */
#define EXPECT_CHECKED(c, severity, code, where, offset, found, expected)                                    \
    expect_checked(c, APF_SEVERITY_##severity, APF_##code, where, offset, found, expected, __FILE__, __LINE__)
void expect_checked(struct checked *c, uint32_t severity, int code, const char *where, uint64_t offset,
                    uint64_t found, uint64_t expected, const char *file, int line);
/* Fails the test if a finding is left in the list. */
#define EXPECT_NO_MORE(c) expect_no_more(c, __FILE__, __LINE__)
void expect_no_more(const struct checked *c, const char *file, int line);

#endif
