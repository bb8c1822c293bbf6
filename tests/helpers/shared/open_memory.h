/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Opens profiles from memory through the public interface, and compares them with the expected content. */
#ifndef HELPERS_SHARED_OPEN_MEMORY_H
#define HELPERS_SHARED_OPEN_MEMORY_H

#include <anyprof/anyprof.h>

#include "helpers/shared/raw_build.h"
#include "helpers/shared/unit.h"

#define MOST_FINDINGS 16u

struct finding {
    uint32_t severity;
    int32_t code;
    uint64_t input, found;
    char where[64];
};

/* The result of opening. On failure instr is NULL and error is filled in. */
struct opened {
    struct apf_instr *instr;
    int code;
    struct apf_error error;
    struct finding findings[MOST_FINDINGS];
    size_t n_findings;
};

/* Opens bytes; the copy they are in ends where they end, so that the sanitizer sees a read after them. */
void open_memory(struct opened *o, const void *p, size_t n, uint32_t flags);
void open_memory_options(struct opened *o, const void *p, size_t n, const struct apf_options *options);
void opened_close(struct opened *o);
/* Keeps a finding in a struct opened; an apf_diag_fn. */
int keep_finding(void *user, const struct apf_diag *diag);

/* Open a file that must be good, or a file that consists of one profile. */
void open_file(struct opened *o, const struct rb_file *file);
void open_profile(struct opened *o, const struct rb_profile *p);

/* A walk over the records of a profile. */
struct record_walk {
    const struct apf_instr *instr;
    size_t next;
    struct apf_record record; /* what next_record returned */
};

/* The records from the first on. */
struct record_walk *first_record(const struct opened *o);
/* Fails the test if records are left. Frees the walk and the profile. */
void last_record(struct record_walk *walk, struct opened *o);
/* The next record, or NULL at the end. */
const struct apf_record *next_record(struct record_walk *walk);

/* Fails the test, at the caller's line, unless the bytes are refused with this code, place and numbers. */
#define EXPECT_REFUSED(p, n, code, where, offset, found, expected)                                           \
    expect_refused(p, n, code, where, offset, found, expected, __FILE__, __LINE__)
void expect_refused(const void *p, size_t n, int code, const char *where, uint64_t offset, uint64_t found,
                    uint64_t expected, const char *file, int line);

/* Fails the test, at the caller's line, unless there is this finding with this number. */
#define EXPECT_FINDING(o, where, severity, code, found)                                                      \
    expect_finding(o, where, severity, code, found, __FILE__, __LINE__)
void expect_finding(const struct opened *o, const char *where, uint32_t severity, int code, uint64_t found,
                    const char *file, int line);

/* The expected value of a site: an address becomes an id. */
uint64_t rb_resolved(const struct rb_profile *p, unsigned kind, const struct rb_pair *pair);
/* Compares the next records with the functions of a profile; `places` has its offsets in the file. */
void check_functions(struct record_walk *walk, const struct rb_profile *p, const struct rb_places *places);
/* Compares a file of one profile, which must have no findings. */
void check_alone(const struct rb_profile *p);

#endif
