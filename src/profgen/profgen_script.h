/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The text that llvm-profgen reads: `perf script --show-mmap-events -F ip,brstack`. Its samples say nothing of their
 * process, so the program is where it was mapped last. A call stack is the lines before the branches, one for each
 * frame; whether samples have them is decided by the first one. */
#ifndef PROFGEN_PROFGEN_SCRIPT_H
#define PROFGEN_PROFGEN_SCRIPT_H

#include "profgen/profgen_target.h"

#define PROFGEN_SCRIPT_COMMAND "'perf script --show-mmap-events -F ip,brstack'"

/* What was read, in lines unless a comment says otherwise. */
struct profgen_script_counts {
    uint64_t samples;     /* with branches; sum of their counts */
    uint64_t mappings;    /* of files of the program's name */
    uint64_t bad_samples; /* lines with an address that cannot be read, whose rest is not used */
    uint64_t first_bad;   /* number of the first of them */
    uint64_t bad_mappings;
    uint64_t moved_mappings; /* of the program, at another place than the one before */
    /* name of the first other file that was mapped, or its beginning; "": none */
    char others[PROFGEN_OTHERS];
    /* samples came before any mapping of the program: it was taken to be where it is linked for */
    bool unmapped;
};

struct profgen_script_options {
    uint64_t max_bytes;
    uint32_t pid; /* only mappings of this process, and of the kernel; 0: of all */
    bool ignore_build_id;
};

/* Reads a text once, and adds its branch stacks to n targets, and what became of the lines to their counts.
 * APF_BAD_SAMPLES: it has none, or target number *at_fault was mapped in parts that do not fit together.
 * APF_NOT_RECORDED: another build of this target was mapped, or it is one of several and was not mapped. */
int profgen_script_read(struct profgen_target *targets, struct profgen_script_counts *counts, size_t n,
                        const struct apf_input *input, const struct profgen_script_options *options,
                        size_t *at_fault, struct apf_error *error);

#endif
