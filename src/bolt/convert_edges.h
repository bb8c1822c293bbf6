/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What samples become: edges between places of the program BOLT was given, each once. */
#ifndef BOLT_CONVERT_EDGES_H
#define BOLT_CONVERT_EDGES_H

#include "base/hash_index.h"
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

/* Adds counts, which stay at APF_FDATA_MOST. False: memory is out. */
bool bolt_edges_add(struct bolt_edges *e, struct bolt_place from, struct bolt_place to, uint64_t count,
                    uint64_t mispredictions) MUST_USE;
void bolt_edges_free(struct bolt_edges *e);

/* A run of code in a function without a table. */
struct late_fall {
    uint32_t sample;
    bool is_return;
};

struct conversion {
    const struct apf_bat *bat;
    struct bolt_functions functions;
    VEC(struct sample) samples; /* different ones, with their counts */
    struct hash_index sample_index;
    struct bolt_edges edges;
    struct code_reader *code; /* to tell returns */
    struct range_counts runs; /* over the blocks of the table: step i is from the i-th to the one behind it */
    uint32_t *blocks_before;  /* of each entry: how many entries before it are blocks */
    VEC(struct late_fall) late;
    struct apf_bolt_funnel funnel;
    bool basic;
    size_t at_fault; /* which file of samples is, when something fails; their number: none */
};

/* a + b, at most `most`, which neither is above. */
static inline uint64_t add_up_to(uint64_t most, uint64_t a, uint64_t b)
{
    return a > most - b ? most : a + b;
}

/* In the funnel. */
static inline void count(uint64_t *sum, const struct sample *s)
{
    *sum = add_up_to(UINT64_MAX, *sum, s->count);
}

/* A take_sample: most samples are seen many times. */
int convert_sample(void *user, const struct sample *sample, struct apf_error *error);
/* Makes edges of all of them. */
int convert_samples(struct conversion *c, struct apf_error *error);
/* Adds what the edges say to a profile by blocks. `program` is what it is called there. */
int convert_to_yaml(struct conversion *c, const char *program, const struct preagg_events *events,
                    struct apf_bolt_yaml *yaml, struct apf_error *error);

#endif
