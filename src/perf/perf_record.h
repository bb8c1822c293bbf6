/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What recordings are made of, whether perf.data or the text of perf script is read: samples, and events of
 * processes. */
#ifndef PERF_PERF_RECORD_H
#define PERF_PERF_RECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <anyprof/perf.h>

enum perf_kind {
    PERF_SAMPLE,
    PERF_MAPPING, /* a file was mapped */
    PERF_FORK,    /* a process began as a copy of another one */
    PERF_EXEC,    /* a process began to run another program */
    PERF_EXIT,    /* a process ended; of perf.data only */
    PERF_BUILD_ID /* which build a file is of */
};

#define PERF_NO_PID UINT32_MAX /* -1: the kernel */

/* Fields of the flags of a branch. */
#define PERF_BRANCH_SPECULATION ((uint64_t)3 << 24)
#define PERF_BRANCH_WRONG_PATH ((uint64_t)1 << 24) /* value of the former: it was never executed */
#define PERF_BRANCH_NOT_TAKEN ((uint64_t)1 << 33)

/* perf writes P where both flags are set. */
static inline bool perf_branch_missed(const struct apf_perf_branch *b)
{
    return (b->flags & (APF_PERF_BRANCH_MISPREDICTED | APF_PERF_BRANCH_PREDICTED)) ==
           APF_PERF_BRANCH_MISPREDICTED;
}

/* Whether the processor does not say how the branch was predicted. */
static inline bool perf_branch_silent(const struct apf_perf_branch *b)
{
    return (b->flags & (APF_PERF_BRANCH_MISPREDICTED | APF_PERF_BRANCH_PREDICTED)) == 0;
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
    uint32_t pid;
    /* Of perf.data only: */
    uint32_t tid, cpu;
    uint32_t mode;         /* enum apf_perf_mode */
    uint64_t time;         /* in nanoseconds; 0: not known */
    uint32_t number;       /* PERF_SAMPLE: of the event */
    uint64_t period;       /* PERF_SAMPLE: events since the last sample of it */
    const uint64_t *chain; /* PERF_SAMPLE: the innermost first, with markers */
    size_t n_chain;

    /* PERF_SAMPLE */
    uint32_t fields;                        /* APF_PERF_HAS_* */
    struct apf_str event;                   /* its name; n == 0: not known */
    uint64_t address;                       /* of the instruction */
    uint64_t data;                          /* address of the data that the instruction read or wrote */
    const struct apf_perf_branch *branches; /* the newest first */
    size_t n_branches;

    /* PERF_MAPPING, PERF_BUILD_ID */
    struct apf_str path;
    struct perf_build_id build_id;
    uint64_t start, size, offset; /* place of a mapping in the address space, and in the file */
    bool executable;

    /* PERF_FORK */
    uint32_t parent;
    bool untimed; /* its time is 0: the process ran before the recording began */
};

/* The record is valid during the call only. A result other than APF_OK ends the reading and is returned. */
typedef int perf_record_fn(void *user, const struct perf_record *record, struct apf_error *error);

#endif
