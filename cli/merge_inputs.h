/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The inputs of a merge: arguments, weighted inputs and list files, directories opened up. */
#ifndef CLI_MERGE_INPUTS_H
#define CLI_MERGE_INPUTS_H

#include <anyprof/io.h>

#include "command.h"

struct merge_inputs {
    struct apf_input *data;
    size_t n, capacity;
    char ***paths; /* what the names point into */
    size_t n_paths, paths_capacity;
    const char *output; /* NULL: inputs are not removed */
    size_t *missing;    /* numbers of those that are not there, but were perhaps merged and removed */
    size_t n_missing;
    char **empty; /* directories without files */
    size_t n_empty;
};

/* Positional arguments, then weighted inputs, then the list file. 0, or an exit code after a report: a file that
 * does not exist is an error before any work is done. When inputs are to be removed, that is to be seen: a merge that
 * was interrupted may have removed it; and the output, which is named as an input, may not be there yet. */
int merge_inputs_collect(struct merge_inputs *inputs, const struct session *session,
                         const struct arguments *args);
/* A file, or all files of a directory; the path is copied. 0, or an exit code after a report. */
int merge_inputs_add(struct merge_inputs *inputs, const struct session *session, const char *path,
                     uint64_t weight);
/* Says of which directories there is nothing, unless that is as it should be: they are empty when their files were
 * merged and removed. True: and there is nothing else, which is an error. */
bool merge_inputs_are_empty(const struct merge_inputs *inputs, const struct session *session,
                            const struct arguments *args);
void merge_inputs_free(struct merge_inputs *inputs);

#endif
