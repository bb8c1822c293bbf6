/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The names of files in .debug_line, DWARF 2 to 5. libdw gives them only with the directory of the compilation. */
#ifndef OBJECT_LINE_FILES_H
#define OBJECT_LINE_FILES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The sections that line_files_find reads; n == 0: there is none. */
struct line_sections {
    const uint8_t *lines, *strings, *line_strings; /* .debug_line, .debug_str, .debug_line_str */
    size_t n_lines, n_strings, n_line_strings;
    bool swap;
};

/* The name of file number `index` of the table at an offset, as LLVM prints it: relative to the directory of the
 * compilation where it is below that. Both texts are borrowed and terminated; *directory is "" where the name is
 * complete. False: there is no such file, or the table is damaged. */
bool line_files_find(const struct line_sections *s, uint64_t offset, uint64_t index, const char **directory,
                     const char **name);

#endif
