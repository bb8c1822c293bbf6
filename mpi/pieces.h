/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The inputs of a group of ranks, cut into pieces of work. How they are cut depends on the inputs alone, so that a run
 * finds what another one with other ranks has finished. */
#ifndef MPI_PIECES_H
#define MPI_PIECES_H

#include "merge_inputs.h"
#include "ranks.h"

#define PIECE_KEY 33 /* bytes of a key, with the 0 at its end */

/* Inputs that follow each other. */
struct piece {
    size_t first, n;
    uint64_t bytes;
    char key[PIECE_KEY]; /* of these inputs as they are now, and of the options that they are read with */
};

struct pieces {
    struct apf_buffer texts; /* the digest of options, and what the inputs point into */
    struct apf_input *inputs;
    struct input_facts {
        uint64_t size, time, inode; /* all 0: the file cannot be looked at */
    } *facts;
    size_t n_inputs;
    struct piece *list;
    size_t n;
};

/* Gives the leader's inputs to its group, and cuts them. `machine` is NULL, or put before the names of inputs;
 * `options` is the leader's digest of options. Pieces have about `size` bytes; 0: chosen. pieces_free must follow. */
void pieces_share(struct pieces *p, struct ranks *r, const struct merge_inputs *inputs, const char *machine,
                  const char *options, uint64_t size);
void pieces_free(struct pieces *p);
/* Writes the name of the part of n pieces from `first` on, which names the first one. */
#define RUN_NAME (PIECE_KEY + 48)
void pieces_name(const struct pieces *p, uint64_t first, uint64_t n, char *name);
/* Finds the pieces that a name is of. False: it is of others. */
bool pieces_find(const struct pieces *p, const char *name, uint64_t *first, uint64_t *n);

/* Writes the digest of the values of options that parts depend on: PIECE_KEY bytes. */
void pieces_options(char *digest, const struct arguments *args);

#endif
