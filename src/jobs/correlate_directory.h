/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Programs by their build ids, in directories. */
#ifndef JOBS_CORRELATE_DIRECTORY_H
#define JOBS_CORRELATE_DIRECTORY_H

#include "jobs/correlate_program.h"

/* An ELF file that has an id. */
struct correlate_file {
    struct apf_str id;
    const char *path;
};

/* All zero but for what the caller sets. */
struct correlate_directories {
    const char *const *list; /* set by the caller, as is max_bytes */
    size_t n;
    uint64_t max_bytes;
    VEC(struct correlate_file) files;
    bool listed;              /* they are read when the first id is not found as LLVM does */
    bool failed;              /* memory was out */
    struct apf_error trouble; /* what could not be read, the first one; its code is 0 when there is nothing */
    const char *troubled;     /* its path */
    struct arena arena;
};

/* The k-th file that may have an id: the .debug files that LLVM would read, then all ELF files in and below the
 * directories that have it. NULL: there are no more, or allocation failed. */
const char *correlate_directories_find(struct correlate_directories *d, struct apf_str id, size_t k);
bool correlate_directories_failed(const struct correlate_directories *d);
void correlate_directories_free(struct correlate_directories *d);

#endif
