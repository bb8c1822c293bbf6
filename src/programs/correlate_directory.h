/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Programs by their build ids, in directories. */
#ifndef PROGRAMS_CORRELATE_DIRECTORY_H
#define PROGRAMS_CORRELATE_DIRECTORY_H

#include "programs/correlate_program.h"

/* An ELF file that has an id. */
struct correlate_file {
    struct apf_str id;
    const char *path;
};

/* Directories to search. The caller sets list, n and max_bytes; the rest begins as zeros. */
struct correlate_directories {
    const char *const *list; /* set by the caller */
    size_t n;
    uint64_t max_bytes;
    VEC(struct correlate_file) files;
    bool listed; /* all files were listed, which happens after the first .build-id lookup fails */
    bool failed; /* allocation failed */
    struct apf_error trouble; /* the first error of reading; its code is 0 if there was none */
    const char *troubled;     /* path of that file */
    struct arena arena;
};

/* The k-th file that may have an id: first the .debug files that LLVM would read, then all ELF files with the id in and
 * below the directories. NULL: no further file, or allocation failed. */
const char *correlate_directories_find(struct correlate_directories *d, struct apf_str id, size_t k);
bool correlate_directories_failed(const struct correlate_directories *d);
void correlate_directories_free(struct correlate_directories *d);

#endif
