/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Counts of lines for GCC: of each the largest one of the instructions with which its statements begin. A line is a
 * place with a discriminator here. */
#ifndef PROFGEN_PROFGEN_GCC_LINES_H
#define PROFGEN_PROFGEN_GCC_LINES_H

#include "base/hash_index.h"
#include "base/vec.h"

/* What an instruction is among those of its line. */
enum profgen_gcc_role {
    PROFGEN_GCC_OTHER,
    PROFGEN_GCC_CHANGES,   /* it follows an instruction of the same line with another discriminator */
    PROFGEN_GCC_RESUMES,   /* the same, and that is a call */
    PROFGEN_GCC_STATEMENT, /* it begins a statement */
    PROFGEN_GCC_CALLED,    /* not an instruction of a range, but a call that was seen */
};

struct profgen_gcc_line {
    uint64_t at;
    uint64_t any, begun, resumed; /* the largest count of all its instructions, and of those that do this */
    uint64_t called;              /* the largest count of its calls that were seen */
    uint32_t of;                  /* a number of the caller's: whose line it is */
    bool roles[PROFGEN_GCC_CALLED + 1]; /* which there are */
};

/* All zero = empty. */
struct profgen_gcc_lines {
    VEC(struct profgen_gcc_line) list;
    struct hash_index index;
};

void profgen_gcc_lines_free(struct profgen_gcc_lines *c);
/* Adds an instruction of a line. */
int profgen_gcc_lines_add(struct profgen_gcc_lines *c, uint32_t of, uint64_t at, uint64_t count,
                          enum profgen_gcc_role role, struct apf_error *error);

/* How often the ranges of a line ran. Instructions that were moved keep their line: those of one arm that now stand
 * before the branch have the count of both arms, but begin no statement. The rest of a statement after a call has a
 * discriminator of its own, and begins none. If it stands nowhere else in its line, its first instructions count: later
 * ones may be the end of other statements, too, which GCC has made one, and which it may have copied since. */
static inline uint64_t profgen_gcc_line_ranges(const struct profgen_gcc_line *line)
{
    if (line->roles[PROFGEN_GCC_STATEMENT])
        return line->begun;
    return line->roles[PROFGEN_GCC_RESUMES] && !line->roles[PROFGEN_GCC_CHANGES] ? line->resumed : line->any;
}

/* How often a line ran: if no range covers it, as often as it was seen to call. */
static inline uint64_t profgen_gcc_line_count(const struct profgen_gcc_line *line)
{
    const uint64_t count = profgen_gcc_line_ranges(line);
    return count ? count : line->called;
}

#endif
