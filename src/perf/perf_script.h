/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What `perf script` prints: samples, and what happened to processes. docs/formats/perf-script.md describes it. */
#ifndef PERF_PERF_SCRIPT_H
#define PERF_PERF_SCRIPT_H

#include "base/file_lines.h"
#include "base/vec.h"

enum perf_kind {
    PERF_STACK,   /* a sample with branches, or with nothing */
    PERF_ADDRESS, /* a sample of an instruction */
    PERF_LOAD,    /* the same, and the data it loads */
    PERF_MAPPING, /* a file was mapped */
    PERF_FORK,    /* a process began as a copy of another one */
    PERF_EXEC     /* a process began to run another program */
};

#define PERF_NO_PID UINT32_MAX /* -1: of the kernel */

struct perf_branch {
    uint64_t from, to;
    bool mispredicted;
    bool silent; /* it does not say whether it was mispredicted */
};

struct perf_record {
    enum perf_kind kind;
    uint32_t pid;
    struct apf_str event; /* of a sample, as it stands there, with a colon at its end; n == 0: not printed */
    uint64_t address, data;
    const struct perf_branch *branches; /* the newest first */
    size_t n_branches;
    uint64_t start, size, offset;  /* of a mapping */
    struct apf_str path, build_id; /* the same; the build id in hexadecimal, n == 0: not printed */
    bool executable;
    uint32_t parent; /* of a fork */
    bool untimed;    /* the same: its time is 0, perf made it of a process that ran before */
};

/* Everything is valid during the call only. Another value than APF_OK ends the reading, and is returned. */
typedef int take_perf_record(void *user, const struct perf_record *record, struct apf_error *error);

struct perf_script {
    struct file_lines text;
    VEC(struct perf_branch) branches;
    uint64_t n_lines;
    uint64_t n_events; /* lines of events that are none of these records */
    uint64_t n_lost;   /* of them, such as say that perf lost something */
    uint64_t n_other;  /* lines of something else, and the first of them */
    uint64_t first_other;
    uint64_t not_taken; /* entries of branch stacks that are said not to be taken; they are left out */
};

/* Whether a text may be of perf script, by its first line. */
bool perf_script_begins(const uint8_t *data, size_t n);
/* Reads a text to its end, and adds to the counts; `branches` is kept for the next one. APF_BAD_SAMPLES: with line and
 * column. */
int perf_script_read(struct perf_script *s, const struct apf_input *input, uint64_t max_bytes,
                     take_perf_record *take, void *user, struct apf_error *error);
void perf_script_free(struct perf_script *s);

#endif
