/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The files beside a program that have its debug information, as callers of profgen ask for them. */
#ifndef PROFGEN_PROFGEN_DEBUG_H
#define PROFGEN_PROFGEN_DEBUG_H

#include <anyprof/profgen.h>

#include "object/debug_files.h"
#include "object/source_lines.h"

/* What the caller has asked for, in memory of its own. */
struct profgen_debug {
    struct debug_search search;
    const char *package; /* of split DWARF; NULL: none was named */
    struct arena arena;
};

/* Copies the options. profgen_debug_free must follow in any case. */
int profgen_debug_copy(struct profgen_debug *d, const struct apf_input *program,
                       const struct apf_profgen_options *options, uint64_t max_bytes,
                       struct apf_error *error);
void profgen_debug_free(struct profgen_debug *d);
/* Reports the files that were found, but not used. */
int profgen_debug_report(const struct debug_files *files, const struct apf_options *options,
                         struct apf_error *error);
/* Reports tables of lines that are damaged, in the file with the debug information. */
int profgen_debug_report_tables(const char *file, const struct source_missing *missing,
                                const struct apf_options *options, struct apf_error *error);
/* Reports split DWARF that lookups did not find. */
int profgen_debug_report_split(const struct source_missing *missing, const struct apf_options *options,
                               struct apf_error *error);
/* APF_UNSUPPORTED if there are no symbols, without which no code is found; the error has what was looked for. */
int profgen_debug_check(const struct profgen_debug *d, const struct debug_files *files,
                        const struct elf_file *symbols, struct apf_error *error);
/* The error for a program without debug information, with what was looked for. */
int profgen_debug_none(const struct profgen_debug *d, const struct debug_files *files,
                       struct apf_error *error);

#endif
