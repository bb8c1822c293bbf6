/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Parses the output of `perf script`: samples, and events of processes. docs/formats/perf-script.md describes it. */
#ifndef PERF_PERF_SCRIPT_H
#define PERF_PERF_SCRIPT_H

#include "base/file_lines.h"
#include "base/text_scan.h"
#include "base/vec.h"
#include "perf/perf_record.h"

struct perf_script {
    struct file_lines text;
    VEC(struct apf_perf_branch) branches;
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
/* Parses what follows "PERF_RECORD_MMAP2 " or "PERF_RECORD_MMAP " in a line: "PID/TID: [0xSTART(0xSIZE) @ OFFSET ...]:
 * r-xp PATH"; in older records the flags are one letter. The path stays in the line, and may be empty. False: at->p
 * stands at the error. */
bool perf_script_parse_mapping(struct text_scan *at, struct perf_record *record);

#endif
