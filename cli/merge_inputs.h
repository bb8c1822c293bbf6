/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The inputs of a merge: positional arguments, weighted inputs and a list of inputs. */
#ifndef CLI_MERGE_INPUTS_H
#define CLI_MERGE_INPUTS_H

#include <anyprof/merge.h>
#include <anyprof/sample_merge.h>

#include "directories.h"
#include "request.h"

/* All zero: empty. */
struct merge_inputs {
    struct apf_input *data;
    size_t n, capacity;
    char ***paths; /* owners of the names in data */
    size_t n_paths, paths_capacity;
    const char *output;                 /* NULL: standard output */
    const struct option_value *include; /* --include */
    bool any_content;                   /* set by the caller: files of directories need not be profiles */
    bool removes;                       /* --delete-inputs */
    struct apf_skipped skipped;         /* of all directories */
    size_t *missing; /* numbers of files that do not exist: an earlier run may have merged and removed them */
    size_t n_missing;
    char **empty; /* directories without files */
    size_t n_empty;
};

/* 0, or an exit code after a report. A file that does not exist is an error, unless inputs are removed: then an
 * interrupted run may have removed it, and the output, which is also an input, may not exist yet.
 * merge_inputs_free must follow either way. */
int merge_inputs_parse(struct merge_inputs *inputs, const struct session *session,
                       const struct arguments *args);
/* Sets what the merge will write, which directories of inputs do not add; before inputs are added without
 * merge_inputs_parse. */
void merge_inputs_output(struct merge_inputs *inputs, const struct arguments *args);
/* Adds a file, or all files of a directory; the path is copied. 0, or an exit code after a report. */
int merge_inputs_add(struct merge_inputs *inputs, const struct session *session, const char *path,
                     uint64_t weight);
/* Says which files of directories are no inputs, unless there is --quiet. Then warns of directories without files,
 * unless they are expected to be empty: their files were merged and removed. True: there is nothing else, which is
 * reported as an error. */
bool merge_inputs_are_empty(const struct merge_inputs *inputs, const struct session *session,
                            const struct arguments *args);
/* Prints "WEIGHT,PATH" for each input. */
void merge_inputs_print(const struct merge_inputs *inputs);
void merge_inputs_free(struct merge_inputs *inputs);

#endif
