/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The files of a command that reads any number of them. */
#ifndef CLI_FILE_LIST_H
#define CLI_FILE_LIST_H

#include "directories.h"
#include "request.h"

/* All zero: empty. */
struct file_list {
    struct apf_input *data;
    size_t n, capacity;
    char ***paths; /* the files of directories, which data points into */
    size_t n_paths;
    bool any_content;           /* set by the caller: files of directories need not be profiles */
    struct apf_skipped skipped; /* of all directories */
};

/* The positional arguments, each directory replaced by the files below it. 0, or an exit code after a report.
 * file_list_free must follow either way. */
int file_list_parse(struct file_list *list, const struct session *session, const struct arguments *args);
void file_list_free(struct file_list *list);

#endif
