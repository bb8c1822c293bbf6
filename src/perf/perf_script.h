/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Parses the output of `perf script`: samples, and events of processes. docs/formats/perf-script.md describes it. */
#ifndef PERF_PERF_SCRIPT_H
#define PERF_PERF_SCRIPT_H

#include "base/file_lines.h"
#include "base/vec.h"

enum perf_kind {
    PERF_STACK,   /* a sample with branches, or without any field */
    PERF_ADDRESS, /* a sample of an instruction */
    PERF_LOAD,    /* a sample of an instruction, and the address of the data that it loads */
    PERF_MAPPING, /* a file was mapped */
    PERF_FORK,    /* a process began as a copy of another one */
    PERF_EXEC     /* a process began to run another program */
};

#define PERF_NO_PID UINT32_MAX /* -1: the kernel */

struct perf_branch {
    uint64_t from, to;
    bool mispredicted;
    bool silent; /* the entry lacks the flag for mispredictions */
};

struct perf_record {
    enum perf_kind kind;
    uint32_t pid;
    struct apf_str event; /* event of a sample as printed, with its colon at the end; n == 0: not printed */
    uint64_t address, data;
    const struct perf_branch *branches; /* the newest first */
    size_t n_branches;
    uint64_t start, size, offset;  /* place of a mapping */
    struct apf_str path, build_id; /* file of a mapping; build id in hexadecimal, n == 0: not printed */
    bool executable;
    uint32_t parent; /* parent of a fork */
    bool untimed;    /* the time of a fork is 0: the process ran before the recording began */
};

/* The record is valid during the call only. A result other than APF_OK ends the reading and is returned. */
typedef int perf_record_fn(void *user, const struct perf_record *record, struct apf_error *error);

struct perf_script {
    struct file_lines text;
    VEC(struct perf_branch) branches;
    uint64_t n_lines;
    uint64_t n_events; /* lines of other events */
    uint64_t n_lost;   /* those of n_events that report losses */
    uint64_t n_other;  /* lines of no known form, and the number of the first one */
    uint64_t first_other;
    uint64_t not_taken; /* omitted entries of branch stacks: their branches did not jump */
};

/* Reads a text to its end, and adds to the counts; `branches` is reused by the next call. APF_BAD_SAMPLES: the error
 * has line and column. */
int perf_script_read(struct perf_script *s, const struct apf_input *input, uint64_t max_bytes,
                     perf_record_fn *visit, void *user, struct apf_error *error);
void perf_script_free(struct perf_script *s);

#endif
