/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The program that a profile is made of. */
#ifndef PROFGEN_PROFGEN_PROGRAM_H
#define PROFGEN_PROFGEN_PROGRAM_H

#include <anyprof/probe.h>
#include <anyprof/profgen.h>
#include <anyprof/sample.h>

#include "object/code_map.h"
#include "object/debug_files.h"
#include "object/source_lines.h"
#include "profgen/profgen_image.h"

struct profgen_functions;

struct profgen_program {
    const struct apf_input *input;     /* the caller's */
    const struct apf_options *options; /* the caller's */
    uint32_t flags;                    /* APF_PROFGEN_* */
    const struct debug_search *search; /* the caller's */
    const char *package; /* the caller's: the package with its split DWARF; NULL: it is searched for */
    struct profgen_image image;
    struct debug_files debug; /* files beside it */
    /* The file with its symbols: `image.elf`, or the one with its debug information. */
    const struct elf_file *symbols;
    const char *probe_file; /* path of the debug file, where the probes are in it; NULL: in the program */
    struct code_map *code;
    /* Of profgen_program_load: */
    bool loaded;
    struct source_lines *lines;
    struct apf_probes *probes; /* NULL: it has none, or lines are wanted */
    VEC(uint32_t) call_probes; /* of each address the first one, by address */
    struct profgen_functions *functions;
    bool flow_sensitive; /* all bits of discriminators count */
};

/* Opens a program, and the file with its debug information, of at most search->max_bytes each. What `search` points to
 * must stay. profgen_program_close must follow, also after a failure. */
int profgen_program_open(struct profgen_program *p, const struct apf_input *input,
                         const struct apf_options *options, uint32_t flags, const struct debug_search *search,
                         struct apf_error *error);
/* Opens its debug information and its probes, and finds its functions, unless that was done before. */
int profgen_program_load(struct profgen_program *p, struct apf_error *error);
void profgen_program_close(struct profgen_program *p);

/* What profiles of the program are, whatever they are made of: APF_SAMPLE_FS, or 0. */
static inline uint32_t profgen_program_properties(const struct profgen_program *p)
{
    return p->flow_sensitive ? APF_SAMPLE_FS : 0;
}

#endif
