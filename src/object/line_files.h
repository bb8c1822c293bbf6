/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The names of files in .debug_line, DWARF 2 to 5. libdw gives them only with the directory of the compilation. */
#ifndef OBJECT_LINE_FILES_H
#define OBJECT_LINE_FILES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/hash_index.h"
#include "base/vec.h"
#include "object/dwarf_file.h"

/* The sections that line_files_find reads; n == 0: there is none. Texts end with a zero. */
struct line_sections {
    const uint8_t *lines, *strings, *line_strings; /* .debug_line, .debug_str, .debug_line_str */
    size_t n_lines, n_strings, n_line_strings;
    bool swap;
};

struct line_sections line_sections_of(const struct dwarf_file *file);

/* A file or a directory of a table. */
struct line_file {
    const char *name;
    uint64_t directory; /* of a file: the number of its directory */
};

/* The names of a table. The first one has number 0 in DWARF 5, before that 1. */
struct line_file_table {
    uint64_t offset;
    uint64_t first;
    VEC(struct line_file) directories, files;
};

/* The tables that were read: any number of functions refer to each. All zero: none. */
struct line_files {
    VEC(struct line_file_table) tables;
    struct hash_index index; /* by offset */
    uint64_t bytes_read;
};

/* The name of file number `number` of the table at an offset, as LLVM prints it: relative to the directory of the
 * compilation where it is below that. Both texts are borrowed and terminated; *directory is "" where the name is
 * complete. *name is NULL where there is no such file, or the table is damaged. False: allocation failed. */
bool line_files_find(struct line_files *f, const struct line_sections *s, uint64_t offset, uint64_t number,
                     const char **directory, const char **name) MUST_USE;
void line_files_free(struct line_files *f);

#endif
