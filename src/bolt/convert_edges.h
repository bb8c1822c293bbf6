/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What samples become: edges between places of the program BOLT was given, each once. */
#ifndef BOLT_CONVERT_EDGES_H
#define BOLT_CONVERT_EDGES_H

#include "bolt/bolt_functions.h"
#include "bolt/preagg_read.h"
#include "object/range_counts.h"

/* A place: a function of the list, and an offset in what it was. */
struct bolt_place {
    uint32_t function; /* BOLT_NONE: outside of all */
    uint32_t offset;
};

struct bolt_edge {
    struct bolt_place from, to; /* of a basic sample only `from` */
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
    uint32_t sample; /* its number */
    bool is_return;
};

struct conversion {
    const struct apf_bat *bat;
    struct bolt_functions functions;
    struct branch_counts samples; /* their kinds: enum sample_kind */
    struct bolt_edges edges;
    struct code_reader *code; /* to tell returns */
    struct range_counts runs; /* over the blocks of the table: step i is from the i-th to the one behind it */
    uint32_t *blocks_before;  /* of each entry: how many entries before it are blocks */
    VEC(struct late_fall) late;
    struct apf_bolt_funnel funnel;
    bool basic;
    size_t at_fault; /* which file of samples is, when something fails; their number: none */
};

/* Adds the count of a sample to a counter of the funnel, saturating. */
static inline void count_sample(uint64_t *sum, const struct branch_sample *s)
{
    *sum = add_up_to(UINT64_MAX, *sum, s->count);
}

/* A read_sample: adds a sample. */
int convert_sample(void *user, const struct branch_sample *sample, struct apf_error *error);
/* Makes edges of all samples but for c->late. */
int convert_samples(struct conversion *c, struct apf_error *error);
/* Adds what the edges say to a profile by blocks. `program` is what it is called there. */
int convert_to_yaml(struct conversion *c, const char *program, const struct preagg_events *events,
                    struct apf_bolt_yaml *yaml, struct apf_error *error);

#endif
