/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The functions of a program, as llvm-profgen finds them: by debug information, then by symbols. */
#ifndef PROFGEN_PROFGEN_FUNCTIONS_H
#define PROFGEN_PROFGEN_FUNCTIONS_H

#include "base/arena.h"
#include "base/hash_index.h"
#include "object/source_lines.h"
#include "profgen/profgen_program.h"

struct profgen_range {
    uint64_t start, end; /* end: after its last byte */
    uint32_t function;
    bool entry; /* the function is entered at its start */
};

/* All functions of one name are one. */
struct profgen_function {
    struct apf_str name;
    uint32_t n_ranges;
    bool of_symbol; /* debug information does not have it */
};

struct profgen_functions {
    VEC(struct profgen_function) list;
    VEC(struct profgen_range) all;    /* by function, those of one in the order in which they were found */
    VEC(struct profgen_range) ranges; /* by start, of several with one start the first that was found */
    struct hash_index by_name;
    struct arena arena;
};

/* `symbols`: also those of symbols that debug information lacks. Debug information is that of `lines`. */
int profgen_functions_open(struct profgen_functions *f, const struct profgen_program *p,
                           struct source_lines *lines, bool symbols, struct apf_error *error);
void profgen_functions_close(struct profgen_functions *f);
#define PROFGEN_NO_FUNCTION UINT32_MAX
/* The number of the function of a name; PROFGEN_NO_FUNCTION: there is none. */
uint32_t profgen_function_named(const struct profgen_functions *f, struct apf_str name);
/* The range that contains an address; NULL: none. */
const struct profgen_range *profgen_range_at(const struct profgen_functions *f, uint64_t address);
/* The range that begins at an address; NULL: none. */
const struct profgen_range *profgen_range_from(const struct profgen_functions *f, uint64_t address);
/* profgen_range_at, where `last`, the range of another address or NULL, is looked at first. */
static inline const struct profgen_range *
profgen_range_near(const struct profgen_functions *f, const struct profgen_range *last, uint64_t address)
{
    const struct profgen_range *end = ENTRY_AT(f->ranges.data, f->ranges.n);
    const bool same = last && last->start <= address && address < last->end &&
                      (last + 1 == end || address < last[1].start); /* ranges may lie in others */
    return same ? last : profgen_range_at(f, address);
}
/* The range of the function that a branch calls: one that its target begins. NULL: it is no call. *caller, NULL at
 * first, is kept from one branch to the next: fastest where branches are sorted. */
const struct profgen_range *profgen_callee(const struct profgen_functions *f, uint64_t from, uint64_t to,
                                           const struct profgen_range **caller);
/* The ranges of a function, n_ranges of them. */
const struct profgen_range *profgen_ranges_of(const struct profgen_functions *f, uint32_t function);

#endif
