/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Decodes the mapping of one function: which counters say how often which regions of its source ran
 * (docs/formats/coverage.md). */
#ifndef COV_MAPPING_H
#define COV_MAPPING_H

#include <stdbool.h>
#include <stdint.h>

#include <anyprof/error.h>

#include "base/vec.h"

/* Kinds of regions; the numbers are those that LLVM prints. */
enum region_kind {
    REGION_CODE = 0,
    REGION_EXPANSION = 1, /* of a macro or an included file */
    REGION_SKIPPED = 2,   /* by the preprocessor */
    REGION_GAP = 3,       /* between statements */
    REGION_BRANCH = 4,    /* a condition, with two counters */
    REGION_DECISION = 5,  /* of MC/DC: all of a boolean expression */
    REGION_CONDITION = 6, /* of MC/DC: a branch that is a condition of a decision */
};

/* A counter word: what it refers to, and the number of that. */
enum counter_tag { COUNTER_ZERO = 0, COUNTER_SLOT = 1, COUNTER_SUBTRACT = 2, COUNTER_ADD = 3 };
#define COUNTER_TAG_BITS 2u
#define COUNTER_TAG_MASK 3u
static inline uint32_t counter_tag(uint32_t word)
{
    return word & COUNTER_TAG_MASK;
}
static inline uint32_t counter_number(uint32_t word)
{
    return word >> COUNTER_TAG_BITS;
}
static inline bool counter_is_zero(uint32_t word)
{
    return counter_tag(word) == COUNTER_ZERO;
}

/* A decision has fewer conditions than this, and what is stored of their ids is less, too. */
#define MOST_CONDITIONS 32767u
#define NO_CONDITION (-1)

/* Lines and columns begin with 1; the end column is the first one that is not in the region. */
struct region {
    uint32_t line, column, end_line, end_column;
    uint32_t file; /* number among the files of the function */
    /* of an expansion: number of the file; of a decision: where its bits end in the bitmap */
    uint32_t expanded;
    /* Counter words: of code, gaps and expansions the first one only. */
    uint32_t counter, false_counter;
    uint64_t count, false_count; /* set by mapping_evaluate */
    uint8_t kind;                /* enum region_kind */
    bool excluded;               /* set by coverage_open: a marker in the source leaves it out */
    uint16_t n_conditions;       /* of a decision */
    /* Of a condition: its id, and the ids of those after it if it is false or true, NO_CONDITION: none. */
    int16_t id, next[2];
};

static inline bool region_is_branch(const struct region *r)
{
    return r->kind == REGION_BRANCH || r->kind == REGION_CONDITION;
}
/* Whether it has a place in the source that is covered or not: no branch and no decision. */
static inline bool region_is_span(const struct region *r)
{
    return r->kind <= REGION_GAP;
}

/* A place in the source as one number, by which places are in order. */
static inline uint64_t source_place(uint32_t line, uint32_t column)
{
    return (uint64_t)line << 32 | column;
}

struct expression {
    uint32_t left, right; /* counter words */
    bool adds;            /* else it subtracts */
    uint8_t state;        /* of the evaluation: see evaluate.c */
    uint64_t value;
};

/* A mapping; the arrays are reused from function to function. All zero = empty. */
struct mapping {
    VEC(uint32_t) files; /* numbers in the list of the unit */
    VEC(struct expression) expressions;
    VEC(struct region) regions; /* those of one file after those of another */
    VEC(uint32_t) starts;       /* for each file its first region; and the end */
    VEC(uint32_t) scratch;
};

/* Decodes n bytes. `n_unit_files` is the number of files in the list of the unit. APF_BAD_COVERAGE, APF_NO_MEMORY. */
int mapping_decode(struct mapping *m, const uint8_t *p, size_t n, size_t n_unit_files,
                   struct apf_error *error);
/* Whether n bytes are the mapping of a function of which the compiler has made no code: one file, no expression, and
 * one region that never runs. */
bool mapping_is_dummy(const uint8_t *p, size_t n);
void mapping_free(struct mapping *m);

#endif
