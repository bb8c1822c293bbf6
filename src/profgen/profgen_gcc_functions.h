/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The functions of a program as GCC looks them up: by its symbols, each with its clones and split parts. */
#ifndef PROFGEN_PROFGEN_GCC_FUNCTIONS_H
#define PROFGEN_PROFGEN_GCC_FUNCTIONS_H

#include "base/arena.h"
#include "base/hash_index.h"
#include "profgen/profgen_program.h"
#include "sample/layout/sample_releases.h"
#include "sample/model/sample_profile.h"

/* Symbols of one unit whose names differ only in suffixes of clones and parts are one function. */
struct profgen_gcc_function {
    uint32_t name, unit;
    bool ran; /* set by the user of the list */
};

/* The code of a symbol. */
struct profgen_gcc_part {
    uint64_t start, end; /* end: after its last byte, and not after the start of the next part */
    uint32_t function;
    uint32_t n_aliases; /* other names of the symbol's address */
    uint32_t alias;     /* the first of them, in the list of aliases */
    bool entry;         /* the function begins here; false: a part that was split off, as foo.cold */
};

struct profgen_gcc_functions {
    VEC(struct profgen_gcc_function) list;
    VEC(struct profgen_gcc_part) parts; /* by start */
    VEC(uint32_t) aliases;              /* names */
    struct hash_index index;            /* of the list */
};

/* More names of one address are not used. */
#define PROFGEN_GCC_MOST_ALIASES 8u

/* The line that the lines of a frame's function count from; 0: unknown. GCC gives functions that it makes itself the
 * line of their class. */
static inline uint32_t profgen_gcc_first_line(const struct source_frame *frame)
{
    return frame->first_line ? frame->first_line : frame->class_line;
}

/* The name of a function for a release: without the suffixes that it ignores. `file` is a number of the names, or
 * SAMPLE_NONE. */
int profgen_gcc_name(struct sample_names *names, const struct sample_release *release, struct apf_str text,
                     uint32_t file, uint32_t *number, struct apf_error *error);
/* The number of the file of a frame's function for a release; SAMPLE_NONE: not known, or not needed. */
int profgen_gcc_file(struct sample_names *names, const struct sample_release *release,
                     struct source_lines *lines, const struct source_frame *frame, uint32_t *number,
                     struct apf_error *error);
/* Finds the functions that debug information knows. profgen_gcc_functions_close must follow. */
int profgen_gcc_functions_open(struct profgen_gcc_functions *f, const struct profgen_program *p,
                               const struct sample_release *release, struct sample_names *names,
                               struct apf_error *error);
void profgen_gcc_functions_close(struct profgen_gcc_functions *f);
/* The part that contains an address; NULL: none. */
const struct profgen_gcc_part *profgen_gcc_part_at(const struct profgen_gcc_functions *f, uint64_t address);

#endif
