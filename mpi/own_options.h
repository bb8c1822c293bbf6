/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The options that `anyprof merge` does not have. */
#ifndef MPI_OWN_OPTIONS_H
#define MPI_OWN_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "words.h"

struct own_options {
    const char *work_dir;  /* NULL: not given */
    const char *machine;   /* with --local-inputs the name of this machine, else NULL */
    uint64_t piece_size;   /* 0: chosen */
    uint64_t checkpoint;   /* seconds */
    uint64_t message_size; /* from 1, to INT_MAX */
    bool help;
    const char *wrong, *word; /* what is wrong, and perhaps the word that is; NULL: nothing */
    char host[256];
};

/* Takes the words that are such options out of the command line. */
void own_options_take(struct own_options *o, struct words *words);

#endif
