/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The files of a command that reads any number of them. */
#ifndef CLI_FILE_LIST_H
#define CLI_FILE_LIST_H

#include "directories.h"
#include "request.h"

typedef int apf_paths_fn(const char *path, const struct apf_paths_options *options, char ***paths, size_t *n,
                         struct apf_skipped *skipped, struct apf_error *error);

/* All zero: empty. */
struct file_list {
    struct apf_input *data;
    size_t n, capacity;
    char ***paths; /* the files of directories, which data points into */
    size_t n_paths;
    apf_paths_fn *find;         /* set by the caller: finds the files of directories; NULL: apf_check_paths */
    bool any_recording;         /* set by the caller: directories may be recordings */
    struct apf_skipped skipped; /* of all directories */
};

/* The positional arguments, each directory replaced by the files below it. 0, or an exit code after a report.
 * file_list_free must follow either way. */
int file_list_parse(struct file_list *list, const struct session *session, const struct arguments *args);
void file_list_free(struct file_list *list);

#endif
