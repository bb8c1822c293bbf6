/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Samples become edges between places of the input of BOLT; equal edges are one with their sum. */
#ifndef BOLT_CONVERT_EDGES_H
#define BOLT_CONVERT_EDGES_H

#include "bolt/bolt_functions.h"
#include "bolt/convert_loss.h"
#include "bolt/preagg_read.h"
#include "object/range_counts.h"

/* A place: a function of the list, and an offset in its code in the input. */
struct bolt_place {
    uint32_t function; /* BOLT_NONE: outside all functions */
    uint32_t offset;
};

struct bolt_edge {
    struct bolt_place from, to; /* a basic sample has only `from` */
    uint64_t count, mispredictions;
};

struct bolt_edges {
    VEC(struct bolt_edge) list;
    struct hash_index index;
};

/* Adds the counts of an edge; sums stay at APF_FDATA_MOST. */
int bolt_edges_add(struct bolt_edges *e, const struct bolt_edge *edge, struct apf_error *error);
void bolt_edges_free(struct bolt_edges *e);

/* A run of code in a function without a table, for convert_flow. */
struct late_fall {
    uint32_t sample; /* number of the sample */
    bool is_return;
};

struct conversion {
    const struct apf_bat *bat;
    struct bolt_functions functions;
    struct branch_counts samples; /* `kind` is an enum sample_kind */
    struct bolt_edges edges;
    struct code_reader *code; /* finds returns */
    struct range_counts runs; /* over the blocks of the table: step i is from block i to the next one */
    uint32_t *blocks_before;  /* for each entry: the number of blocks among the entries before it */
    VEC(struct late_fall) late;
    struct function_tally *tallies; /* of each function */
    struct arena tally_arena;
    bool yaml_only; /* functions that the YAML lacks are lost */
    struct apf_bolt_funnel funnel;
    bool basic;
    size_t at_fault; /* number of the file of samples that an error is about; the number of files: none */
};

/* Adds the count of a sample to a counter of the funnel, saturating. */
static inline void count_sample(uint64_t *sum, const struct branch_sample *s)
{
    *sum = add_up_to(UINT64_MAX, *sum, s->count);
}

/* Counts a sample of a function for what is lost. */
static inline void tally_sample(struct conversion *c, uint32_t function, const struct branch_sample *s,
                                uint32_t lost)
{
    tally_add(c->tallies, function, s->count, lost);
}

/* A read_sample: adds a sample. */
int convert_sample(void *user, const struct branch_sample *sample, struct apf_error *error);
/* Makes edges of all samples except c->late. */
int convert_samples(struct conversion *c, struct apf_error *error);
/* Adds the edges to a profile by blocks, whose header names the program `program`. */
int convert_to_yaml(struct conversion *c, const char *program, const struct text_set *events,
                    struct apf_bolt_yaml *yaml, struct apf_error *error);

#endif
