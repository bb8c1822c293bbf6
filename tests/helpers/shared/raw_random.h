/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Pseudo-random programs, equal in every run of the test, and profiles of their runs. */
#ifndef HELPERS_SHARED_RAW_RANDOM_H
#define HELPERS_SHARED_RAW_RANDOM_H

#include "helpers/shared/raw_build.h"

/* The program owns all memory: free it last. */
struct program {
    struct rb_profile profile; /* of a run whose counts are all 0 */
    struct block *blocks;
};

/* Properties of a program that chance does not decide. */
struct program_wish {
    unsigned version, bytes; /* 0: chance decides */
    bool big, any_order;     /* any_order: chance decides, not `big` */
    uint64_t variant;
    bool any_variant; /* add bits that suit the version */
    unsigned first;   /* number of its first function: programs share the functions whose numbers both have */
    unsigned most;    /* functions; 0 means 12 */
    bool wide_hashes; /* front-end hashes of LLVM 21 and older, with more than 60 bits */
    char separator;   /* of local functions: ':' or ';'; '\0': there are none */
};

void program_make(struct program *p, const struct program_wish *wish, uint64_t *chance);
void program_free(struct program *p);

/* A run, with its own counts, values, bitmaps, timestamps and load address. The program owns it. */
struct rb_profile program_run(struct program *p, uint64_t *chance);
/* The functions of a profile of the program; the test may change them. */
struct rb_function *program_functions(struct program *p, struct rb_profile *profile);

#endif
