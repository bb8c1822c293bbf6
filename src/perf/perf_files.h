/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The files of a recording: those that were mapped, and those whose build is known. */
#ifndef PERF_PERF_FILES_H
#define PERF_PERF_FILES_H

#include "base/arena.h"
#include "base/hash_index.h"
#include "base/vec.h"
#include "perf/perf_record.h"

/* All zero = none. */
struct perf_files {
    VEC(struct apf_perf_file *) list;
    struct hash_index paths;  /* to the first file of a path: its place in the list */
    struct hash_index builds; /* to the file of a path and a build that is known */
    struct arena arena;
};

#define PERF_KERNEL_PATH "[kernel.kallsyms]"
/* The path of a file as it was recorded, without the symbol after which perf names the kernel. */
struct apf_str perf_files_path(struct apf_str path);
void perf_files_free(struct perf_files *files);
/* The number of the file of a mapping or of a build id, which is added if it is new. A file whose build is not known
 * becomes one of a build that is. */
int perf_files_find(struct perf_files *files, const struct perf_record *record, uint32_t *number,
                    struct apf_error *error);

#endif
