/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What recordings are made of, whether perf.data or the text of perf script is read: samples, and events of
 * processes. */
#ifndef PERF_PERF_RECORD_H
#define PERF_PERF_RECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <anyprof/io.h>

enum perf_kind {
    PERF_SAMPLE,
    PERF_MAPPING, /* a file was mapped */
    PERF_FORK,    /* a process began as a copy of another one */
    PERF_EXEC     /* a process began to run another program */
};

#define PERF_NO_PID UINT32_MAX /* -1: the kernel */

/* What a sample has beside its process. */
#define PERF_HAS_ADDRESS 1u  /* `address` */
#define PERF_HAS_BRANCHES 2u /* `branches`, of which there may be none */
#define PERF_HAS_DATA 4u     /* `data` */

/* An entry of a branch stack. Its flags are those of the kernel's struct perf_branch_entry, the first field in the
 * lowest bits. */
struct perf_branch {
    uint64_t from, to, flags;
};

#define PERF_BRANCH_MISPREDICTED 1u
#define PERF_BRANCH_PREDICTED 2u
#define PERF_BRANCH_NOT_TAKEN ((uint64_t)1 << 33)

/* perf writes P where both flags are set. */
static inline bool perf_branch_missed(const struct perf_branch *b)
{
    return (b->flags & (PERF_BRANCH_MISPREDICTED | PERF_BRANCH_PREDICTED)) == PERF_BRANCH_MISPREDICTED;
}

/* Whether the processor does not say how the branch was predicted. */
static inline bool perf_branch_silent(const struct perf_branch *b)
{
    return (b->flags & (PERF_BRANCH_MISPREDICTED | PERF_BRANCH_PREDICTED)) == 0;
}

/* The identifier of a build. perf keeps 20 bytes of it, and fills shorter ones up with zeros, mostly without their
 * length: zeros at the end are no part of it here. */
struct perf_build_id {
    uint8_t n; /* 0: not known */
    uint8_t bytes[20];
};

/* The first bytes of an identifier, without zeros at its end. */
struct perf_build_id perf_build_id_make(const void *p, size_t n);
/* Reads hexadecimal digits; false: they are of no whole number of bytes, or no digits. */
bool perf_build_id_parse(struct perf_build_id *id, const char *p, size_t n);
bool perf_build_id_equal(const struct perf_build_id *a, const struct perf_build_id *b);
#define PERF_BUILD_ID_TEXT 41
/* Prints an identifier in hexadecimal, with a zero, to PERF_BUILD_ID_TEXT bytes. */
void perf_build_id_print(const struct perf_build_id *id, char *text);

struct perf_record {
    enum perf_kind kind;
    uint32_t pid, tid; /* tid: of perf.data only */
    uint64_t time;     /* of perf.data only; 0: not known */

    /* PERF_SAMPLE */
    uint32_t fields;      /* PERF_HAS_* */
    struct apf_str event; /* its name; n == 0: not known */
    uint64_t address;     /* of the instruction */
    uint64_t data;        /* address of the data that the instruction read or wrote */
    const struct perf_branch *branches; /* the newest first */
    size_t n_branches;

    /* PERF_MAPPING */
    uint64_t start, size, offset; /* place in the address space, and in the file */
    struct apf_str path;
    struct perf_build_id build_id;
    bool executable;

    /* PERF_FORK */
    uint32_t parent;
    bool untimed; /* its time is 0: the process ran before the recording began */
};

/* The record is valid during the call only. A result other than APF_OK ends the reading and is returned. */
typedef int perf_record_fn(void *user, const struct perf_record *record, struct apf_error *error);

#endif
