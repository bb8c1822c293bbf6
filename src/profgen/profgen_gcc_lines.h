/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Counts of lines for GCC: of each the largest one of the instructions with which its statements begin. */
#ifndef PROFGEN_PROFGEN_GCC_LINES_H
#define PROFGEN_PROFGEN_GCC_LINES_H

#include "base/hash_index.h"
#include "base/vec.h"

struct profgen_gcc_line {
    uint64_t at;
    uint64_t any,
        begun;      /* the largest counts: of all its instructions, and of those that begin a statement */
    uint32_t of;    /* a number of the caller's: whose line it is */
    bool statement; /* there is an instruction that begins a statement */
};

/* All zero = empty. */
struct profgen_gcc_lines {
    VEC(struct profgen_gcc_line) list;
    struct hash_index index;
};

void profgen_gcc_lines_free(struct profgen_gcc_lines *c);
/* Adds an instruction of a line. */
int profgen_gcc_lines_add(struct profgen_gcc_lines *c, uint32_t of, uint64_t at, uint64_t count,
                          bool statement, struct apf_error *error);

/* How often a line ran. Instructions that were moved keep their line: those of one arm that now stand before the branch
 * have the count of both arms, but begin no statement. */
static inline uint64_t profgen_gcc_line_count(const struct profgen_gcc_line *line)
{
    return line->statement ? line->begun : line->any;
}

#endif
