/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A merge of numbers, the smallest room that uses src/inputs. A file is a letter, a blank, digits and a newline:
 * "a 5\n". Numbers of one letter are added; of several letters the heaviest, among equals the first in the alphabet, is
 * the result, and inputs with others are rejected. A file without its newline is damaged; its number can be salvaged.
 */
#ifndef HELPERS_SHARED_NUMBER_MERGE_H
#define HELPERS_SHARED_NUMBER_MERGE_H

#include <pthread.h>

#include "inputs/inputs.h"

#define NUMBER_LETTERS 26u

/* What the room keeps of an input, beside inputs.list. */
struct kept_number {
    char letter; /* '\0': it was refused */
    uint64_t number;
    int code; /* what `changed` has shown of the entry */
    bool removed;
};

/* Makes a function of the merge fail in a test. */
enum number_fault { NUMBER_SOUND, NUMBER_NO_THREAD, NUMBER_UNDECIDED, NUMBER_NO_COMMIT };

struct number_merge {
    struct apf_options common;
    struct arena arena;
    struct inputs inputs;
    VEC(struct kept_number) kept;
    pthread_mutex_t lock;          /* of the sums */
    uint64_t sums[NUMBER_LETTERS]; /* with weights */
    uint64_t votes[NUMBER_LETTERS];
    unsigned result; /* the letter that was accepted last */
    uint64_t lossy;  /* the result lacks a part of this number; 0: of none */
    bool is_void;
    struct input_counts counts; /* as `counted` has shown them */
    enum number_fault fault;
    unsigned faulty; /* the number of the input or thread that fails */
    unsigned n_begun, n_ended, n_salvaged;
};

/* What a test wants of a merge; all zero: the defaults. */
struct number_options {
    struct apf_options common;
    const struct apf_tolerance *tolerance;
    const char *output;
    bool remove;
};

int number_merge_open(struct number_merge *m, const struct number_options *o, struct apf_error *error);
void number_merge_close(struct number_merge *m);
int number_merge_add(struct number_merge *m, const struct apf_input *inputs, size_t n,
                     struct apf_error *error);
/* Adds a file, by its path. */
int number_merge_file(struct number_merge *m, const char *path, struct apf_error *error);
int number_merge_write(struct number_merge *m, const char *path, struct apf_error *error);

#endif
