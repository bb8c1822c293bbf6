/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Sums of records in partial profiles: sorted by class, then by sum_compare, each once. */
#ifndef INSTR_PARTIAL_SUMS_H
#define INSTR_PARTIAL_SUMS_H

#include "inputs/inputs_listing.h"
#include "instr/sums/sum_table.h"
#include "partial/partial_read.h"
#include "partial/partial_write.h"

/* The section; numbers of sections are in docs/formats/partial.md. */
#define PARTIAL_SUMS 60u

/* A sum, and the class of inputs that it is of. */
struct classed_sum {
    uint32_t class;
    struct sum sum;
};

struct partial_sums_writer {
    struct partial_writer *file;
    const struct inputs_listing *inputs; /* NULL: the sums have the numbers that are written */
    uint64_t id;                         /* of the last sum, and its class */
    uint32_t class;
    VEC(struct apf_value) values; /* of the site that is being written */
};

/* Writes a sum; sums must come in their order. */
void partial_write_sum(struct partial_sums_writer *w, const struct classed_sum *classed);
/* Writes the sum of n sums of one structure, likewise in order. */
int partial_write_total(struct partial_sums_writer *w, uint32_t class, const struct sum *const *sums,
                        size_t n, struct apf_error *error);
/* Sorts sums of a class. False: an allocation failed. */
bool partial_sort_sums(const struct sum **sums, size_t n) MUST_USE;
void partial_sums_writer_free(struct partial_sums_writer *w);

struct partial_sums_reader {
    struct partial_reader *file;
    struct classed_sum last; /* its numbers; its arrays may be gone */
    bool any;
};

/* Reads the next sum, if *more. Its arrays are in the arena; its symbol is not looked up. APF_BAD_PARTIAL,
 * APF_NO_MEMORY. */
int partial_read_sum(struct partial_sums_reader *r, struct arena *arena, struct classed_sum *s, bool *more,
                     struct apf_error *error);

#endif
