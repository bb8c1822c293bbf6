/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The files of a command that looks into any number of them. */
#ifndef CLI_FILE_LIST_H
#define CLI_FILE_LIST_H

#include <anyprof/io.h>

#include "report.h"

/* All zero = empty. */
struct file_list {
    struct apf_input *data;
    size_t n, capacity;
    char ***paths; /* what directories stand for */
    size_t n_paths;
};

/* The positional arguments, each directory being the files below it. 0, or an exit code: reported. */
int file_list_take(struct file_list *list, const struct session *session, const struct arguments *args);
void file_list_free(struct file_list *list);

#endif
