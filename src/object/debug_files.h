/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Searches for the file with the debug information of a program that was stripped, and for the file that several of
 * those share. No file is opened that is not regular, and none is used that is not of the program. */
#ifndef OBJECT_DEBUG_FILES_H
#define OBJECT_DEBUG_FILES_H

#include "base/vec.h"
#include "object/debug_link.h"

/* Searched after the caller's directories, as GDB does. */
#define DEBUG_DIRECTORY "/usr/lib/debug"

struct debug_search {
    const char *program;            /* its path; NULL: unknown */
    const char *file;               /* the file with its debug information; NULL: search for it */
    const char *const *directories; /* as /usr/lib/debug is one */
    size_t n_directories;
    bool any_build;     /* `file` may be of another build */
    uint64_t max_bytes; /* of a file */
};

/* A file that was found, and why it was not used, or should not be. */
struct debug_note {
    const char *path;
    struct apf_error error;
};

/* All zero = closed. The paths live as long as this. */
struct debug_files {
    struct elf_file *file;      /* NULL: what the program has itself is all there is */
    const char *path;           /* of `file` */
    struct elf_file *alternate; /* the file that debug information refers to, by dwz; NULL: none */
    const char *alternate_path;
    VEC(struct debug_note) notes; /* a few */
    struct debug_link link;       /* of the program */
    struct apf_str build_id;      /* of the program; both are borrowed from it */
    struct arena arena;
};

/* Searches, in this order: if the program has no debug information, for the file that .gnu_debuglink names beside the
 * program, in .debug/ there, and below each debug directory in the program's own; its checksum must match. Then for
 * DIRECTORY/.build-id/xx/yyyy.debug. A file with another build id than the program's is not used. After that, for the
 * file that .gnu_debugaltlink of the debug information names, by its path, then by its build id, which must match.
 *
 * APF_OK where nothing is found; that search->file cannot be used is an error: APF_WRONG_DEBUG_FILE if its build id is
 * another one. debug_files_close must follow in any case. The program, and what `search` points to, must stay. */
int debug_files_open(struct debug_files *d, const struct elf_file *program, const struct debug_search *search,
                     struct apf_error *error);
void debug_files_close(struct debug_files *d);
/* Adds to an error, in brackets, what was looked for, and where. */
void debug_files_describe(const struct debug_files *d, const struct debug_search *search,
                          struct apf_error *error);

#endif
