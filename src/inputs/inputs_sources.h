/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Partial profiles that were checked when they were added, and are read when the merge is written as a partial profile,
 * all in step, so that memory does not grow with them. */
#ifndef INPUTS_SOURCES_H
#define INPUTS_SOURCES_H

#include <stdatomic.h>

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

/* Those of a merge. All zero = none. */
struct inputs_sources {
    VEC(struct inputs_source) list;
    atomic_uint n_reserved; /* inputs that are, or may become, sources */
};

/* Whether one more input may become a source, on any thread; inputs_sources_release takes that back. */
static inline bool inputs_sources_reserve(struct inputs_sources *s)
{
    return atomic_fetch_add(&s->n_reserved, 1) < INPUTS_MOST_SOURCES;
}
static inline void inputs_sources_release(struct inputs_sources *s)
{
    atomic_fetch_sub(&s->n_reserved, 1);
}
/* Keeps a source; one of size 0 is none. */
int inputs_sources_keep(struct inputs_sources *s, const struct inputs_source *source,
                        struct apf_error *error);
/* There are none any more. */
static inline void inputs_sources_clear(struct inputs_sources *s)
{
    s->list.n = 0;
    atomic_store(&s->n_reserved, 0);
}

/* Whether an input is a file, or is in memory, and begins as a partial profile of a kind; fills in its size. */
bool inputs_source_is(const struct apf_input *input, enum partial_kind kind, uint64_t *size);
/* Copies the input of a source, with its strings, into an arena. */
bool inputs_source_copy(struct inputs_source *to, const struct inputs_source *from, struct arena *arena);
/* Opens a source, and passes the records before a section. APF_IO: it is another file now. partial_reader_close must
 * follow, also after a failure. */
int inputs_source_open(struct partial_reader *file, const struct inputs_source *source,
                       enum partial_kind kind, uint8_t section, uint64_t max_bytes, struct apf_error *error);
/* Checks that all of a source was read, and is right. */
int inputs_source_end(struct partial_reader *file, struct apf_error *error);
/* Names the source that an error is about. Returns the code. */
int inputs_source_error(const struct inputs_source *source, int code, struct apf_error *error);

#endif
