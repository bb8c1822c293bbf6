/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Partial profiles that were checked when they were added, and are read when the merge is written as a partial profile,
 * all in step, so that memory does not grow with them. */
#ifndef INPUTS_SOURCES_H
#define INPUTS_SOURCES_H

#include "inputs/inputs.h"
#include "partial/partial_read.h"

/* The most of a merge; further ones are held in memory. */
#define INPUTS_MOST_SOURCES 256u

struct inputs_source {
    struct apf_input input;        /* size 0: there is none */
    struct file_identity identity; /* of a file */
    size_t given;                  /* number of the input */
    size_t n_inputs;               /* that it stands for */
};

/* Whether an input is a file, or is in memory, and begins as a partial profile of a kind; fills in its size. */
bool inputs_source_is(const struct apf_input *input, enum partial_kind kind, uint64_t *size);
/* Copies the input of a source, with its strings, into an arena. */
bool inputs_source_copy(struct inputs_source *to, const struct inputs_source *from, struct arena *arena);
/* Opens a source, and passes the records before a section. APF_IO: it is another file now. partial_reader_close must
 * follow, also after a failure. */
int inputs_source_open(struct partial_reader *file, const struct inputs_source *source, uint8_t section,
                       uint64_t max_bytes, struct apf_error *error);
/* Checks that all of a source was read, and is right. */
int inputs_source_end(struct partial_reader *file, struct apf_error *error);
/* Names the source that an error is about. Returns the code. */
int inputs_source_error(const struct inputs_source *source, int code, struct apf_error *error);

#endif
