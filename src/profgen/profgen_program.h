/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The program that samples are of. */
#ifndef PROFGEN_PROFGEN_PROGRAM_H
#define PROFGEN_PROFGEN_PROGRAM_H

#include <anyprof/probe.h>
#include <anyprof/profgen.h>

#include "base/vec.h"
#include "object/code_map.h"
#include "object/elf_file.h"
#include "object/source_lines.h"

/* Pages of processes, for the addresses at which segments are mapped; as in llvm-profgen. */
#define PROFGEN_PAGE ((uint64_t)0x1000)

struct profgen_functions;

struct profgen_program {
    const struct apf_input *input;     /* the caller's */
    const struct apf_options *options; /* the caller's */
    uint32_t flags;                    /* APF_PROFGEN_* */
    const char *path;
    struct apf_str name; /* the last part of the path */
    struct elf_file *elf;
    struct code_map *code;
    VEC(struct elf_segment) text; /* segments of code */
    uint64_t base;                /* page of the first segment of code */
    uint64_t first_loaded;        /* page of the first segment */
    /* Of profgen_program_load: */
    bool loaded;
    struct source_lines *lines;
    struct apf_probes *probes; /* NULL: it has none, or lines are wanted */
    struct profgen_functions *functions;
    bool flow_sensitive; /* all bits of discriminators count */
};

/* Opens a program. profgen_program_close must follow, also after a failure. */
int profgen_program_open(struct profgen_program *p, const struct apf_input *input,
                         const struct apf_options *options, uint32_t flags, struct apf_error *error);
/* Opens its debug information and its probes, and finds its functions, unless that was done before. */
int profgen_program_load(struct profgen_program *p, struct apf_error *error);
void profgen_program_close(struct profgen_program *p);

#endif
