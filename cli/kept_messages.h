/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Messages that are printed and also kept, for a page that repeats them. */
#ifndef CLI_KEPT_MESSAGES_H
#define CLI_KEPT_MESSAGES_H

#include <stdbool.h>
#include <stddef.h>

/* All zero: none. */
struct kept_messages {
    bool on; /* those that are printed from now on are kept */
    char **list;
    size_t n;
};

/* Keeps "FILE: text", or the text alone where `file` is empty, if that is on. */
void messages_keep(struct kept_messages *kept, const char *file, const char *text);
void messages_free(struct kept_messages *kept);

#endif
