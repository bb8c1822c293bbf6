/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What both formats of BOLT's profiles say, while it is collected. */
#ifndef REPORT_REPORT_BOLT_H
#define REPORT_REPORT_BOLT_H

#include <anyprof/bolt.h>

#include "report/report_table.h"

/* A branch that was mispredicted. */
struct report_miss {
    uint32_t from, to; /* names; HASH_INDEX_NONE: unknown */
    uint64_t from_offset, to_offset;
    uint64_t count, mispredictions;
};

struct bolt_reader {
    struct apf_report *r;
    VEC(char) text; /* a name */
    VEC(struct report_miss) misses;
    uint64_t n_misses;       /* all of them */
    struct report_site site; /* that is being added up; n_values == 0: none */
    /* Sums of counts. */
    uint64_t all, mispredictions;
    uint64_t from_unknown, to_unknown, both_unknown; /* places in no symbol */
    uint64_t calls;                                  /* from one function to another */
    uint64_t loads;                                  /* in number */
    bool is_samples;                                 /* of instructions, not branches */
    bool has_blocks;                                 /* places are numbers of blocks, not offsets */
};

/* Adds a count to a function. False: allocation failed. */
bool bolt_count(struct bolt_reader *b, uint32_t name, uint64_t count) MUST_USE;
/* Adds mispredictions; only the most are kept. False: allocation failed. */
bool bolt_miss(struct bolt_reader *b, const struct report_miss *miss) MUST_USE;
/* Adds a call from a place in a function to another function (UINT64_MAX: unknown); the calls of a place follow each
 * other. False: allocation failed. */
bool bolt_call(struct bolt_reader *b, const struct report_site *place, uint64_t to, uint64_t count) MUST_USE;
/* Makes the tables of what was added. False: allocation failed. */
bool bolt_finish(struct bolt_reader *b) MUST_USE;

#endif
