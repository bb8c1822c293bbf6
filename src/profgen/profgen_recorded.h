/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The branch stacks of programs in recordings of perf. */
#ifndef PROFGEN_PROFGEN_RECORDED_H
#define PROFGEN_PROFGEN_RECORDED_H

#include "perf/perf_recording.h"
#include "profgen/profgen_target.h"

/* What became of the samples of recordings, in numbers. */
struct profgen_sample_counts {
    uint64_t samples;            /* that were read; of them: */
    uint64_t unwanted;           /* of another process than the one that was asked for */
    uint64_t no_stack;           /* of events without branch stacks, or with an empty one */
    uint64_t elsewhere;          /* of these, with hits: taken outside of the program */
    uint64_t damaged;            /* not among them: they cannot be read */
    uint64_t lost;               /* nor these: perf says that it lost so many samples and records */
    uint64_t processes;          /* with samples */
    uint64_t left_out;           /* entries of branch stacks, of any program: see struct apf_perf_info */
    bool cut;                    /* a recording is cut off or damaged */
    bool traced;                 /* a recording has data of a tracer, of which perf inject makes samples */
    bool no_build_id;            /* the program was recognised by its name alone */
    bool other_build;            /* another build was taken, because its build id was to be ignored */
    char others[PROFGEN_OTHERS]; /* names of files with samples, as many as there is place for */
};

struct profgen_recorded_options {
    uint64_t max_bytes, max_records;
    uint32_t pid; /* only samples of this process; 0: of all */
    bool ignore_build_id;
};

/* Reads a recording once, and adds the branch and call stacks of all processes that run any of n files to its target,
 * and what became of the samples to its counts. APF_NOT_RECORDED: no process runs target number *at_fault, or what runs
 * under its name is of another build. */
int profgen_recorded_read(struct profgen_target *targets, struct profgen_sample_counts *counts, size_t n,
                          const struct apf_input *input, const struct profgen_recorded_options *options,
                          size_t *at_fault, struct apf_error *error);

#endif
