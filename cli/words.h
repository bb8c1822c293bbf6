/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The words of a command line, with response files (@FILE) replaced by the words in them. */
#ifndef CLI_WORDS_H
#define CLI_WORDS_H

#include "session.h"

/* All zero: no words. */
struct words {
    const char **data;
    size_t n, capacity;
    char **owned; /* texts of the response files, which data points into */
    size_t n_owned, owned_capacity;
    const char **files; /* names of the response files */
    size_t n_files;
};

/* Appends the words of argv after argv[0]. False: reported. words_free must follow either way. */
bool words_expand(struct words *words, const struct session *session, int argc, char **argv);
void words_free(struct words *words);

#endif
