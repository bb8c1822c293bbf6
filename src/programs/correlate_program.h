/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The functions of an instrumented program, read from its sections or its DWARF. */
#ifndef PROGRAMS_CORRELATE_PROGRAM_H
#define PROGRAMS_CORRELATE_PROGRAM_H

#include <anyprof/correlate.h>

#include "base/hash_index.h"
#include "instr/raw/raw_sections.h"
#include "object/elf_file.h"

#define CORRELATE_DATA "__llvm_prf_data"
#define CORRELATE_COVDATA "__llvm_covdata"

/* The header of a section, if the program has it. */
struct correlate_section {
    struct elf_section header;
    bool found;
};

/* Warnings about the functions, kept until correlate_warnings_report. */
struct correlate_warnings {
    uint32_t max; /* warnings to keep; 0: all */
    uint64_t n;   /* warnings, also those above max */
    VEC(const char *) list;
};

struct correlate_program {
    struct apf_binary_functions_info info;
    struct apf_correlation correlation; /* index of `functions` */
    VEC(struct apf_function) functions;
    uint64_t n_sites[APF_VALUE_KINDS]; /* only from sections: see raw_sections.h */
    struct correlate_warnings warnings;
    struct symbols names; /* only from sections */
    struct arena arena;   /* other texts */
    /* Used only while the program is read. */
    struct elf_file *elf;
    const char *path; /* NULL: the program is in memory */
    uint64_t max_bytes, max_records;
    struct correlate_section counters, bits;
};

/* The program to read. */
struct correlate_request {
    const struct apf_input *input;
    const struct apf_options *options;
    uint32_t kind;
    uint32_t max_warnings;
};

/* Reads a program. The caller owns *p, also after a failure, and frees it with correlate_program_free. */
int correlate_program_read(struct correlate_program *p, const struct correlate_request *request,
                           struct apf_error *error);
void correlate_program_free(struct correlate_program *p);

/* Opens the program, and finds the sections that every instrumented program has. */
int correlate_program_begin(struct correlate_program *p, const struct correlate_request *request,
                            struct apf_error *error);
/* Reads the functions from DWARF (correlate_dwarf.c), or from sections of p->info.kind. */
int correlate_dwarf_read(struct correlate_program *p, struct apf_error *error);
int correlate_sections_read(struct correlate_program *p, struct apf_error *error);
/* The first section with a name. */
struct correlate_section correlate_section_find(const struct elf_file *elf, const char *name);
/* Finds a section that must exist. */
int correlate_section_require(const struct correlate_program *p, const char *name,
                              struct correlate_section *section, struct apf_error *error);

/* Adds a warning, up to warnings.max. False: allocation failed. */
bool correlate_warn(struct correlate_program *p, const char *format, ...) PRINTF_LIKE(2, 3);
/* Reports all warnings. */
int correlate_warnings_report(const struct correlate_program *p, struct apf_str source, uint64_t input,
                              apf_diag_fn *diag, void *user, struct apf_error *error);
/* Adds a function whose `counters` and `bitmap` are addresses, unless one with these counters was added. */
int correlate_add(struct correlate_program *p, struct hash_index *seen, const struct apf_function *f,
                  struct apf_error *error);
/* LLVM's error for a program without metadata, with the reason. */
int correlate_nothing(const struct correlate_program *p, const char *what, const char *why,
                      struct apf_error *error);

#endif
