/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Two profiles side by side, for comparisons: names and contexts have one number in both, however each profile knows
 * them. A name is the same as its hash. Source files of functions, which only some profiles name, tell functions apart
 * where both profiles have them, or where one name occurs in several files. */
#ifndef SAMPLE_PAIR_H
#define SAMPLE_PAIR_H

#include "sample/model/sample_tree.h"

struct sample_pair_side {
    const struct apf_sample *sample;
    uint32_t *names;         /* the pair's number of each name of the profile */
    uint32_t *ranks;         /* the place of each name of the profile in the order of the pair's names */
    struct sample_tree tree; /* in that order */
    uint32_t *tops;          /* node of each context of the pair, or SAMPLE_NONE */
};

/* All zero: empty. */
struct sample_pair {
    struct sample_names names; /* texts are those of the profiles, which must stay open */
    struct sample_contexts contexts;
    uint32_t *name_ranks, *context_ranks; /* places in LLVM's order */
    struct sample_pair_side side[2];
};

/* Sealed profiles; sample_pair_free must follow, also after a failure. */
int sample_pair_make(struct sample_pair *p, const struct apf_sample *a, const struct apf_sample *b,
                     struct apf_error *error);
void sample_pair_free(struct sample_pair *p);

/* The order of two inlined functions of either profile in what they are inlined in: below, equal to or above 0. */
static inline int sample_pair_compare(const struct sample_pair *p, uint32_t a, uint32_t b)
{
    const struct sample_node *x = &p->side[0].sample->nodes.data[a], *y = &p->side[1].sample->nodes.data[b];
    if (x->at != y->at)
        return x->at < y->at ? -1 : 1;
    uint32_t i = p->side[0].ranks[x->name], k = p->side[1].ranks[y->name];
    return i < k ? -1 : i > k;
}

#endif
