/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The state of a merge: sample_merge.c makes and frees it, sample_merge_add.c adds inputs, sample_merge_view.c makes
 * the view, sample_merge_write.c writes, sample_merge_report.c reports. What merges of other files need, too, is in
 * inputs/inputs.h. */
#ifndef SAMPLE_MERGE_H
#define SAMPLE_MERGE_H

#include <anyprof/sample_merge.h>

#include "inputs/inputs.h"
#include "inputs/inputs_rosters.h"
#include "inputs/inputs_sources.h"
#include "sample/merge/sample_remap.h"
#include "sample/merge/sample_sum.h"

/* Kept of each input until the merge is freed, beside the entry of the same number in kept.list. */
struct sample_input {
    uint32_t roster; /* which functions it has: its number in `rosters`, or ROSTER_NONE */
    /* what the entry has, too, is copied from it: see sample_merge_show */
    struct apf_sample_input_result result;
    uint8_t class;
    bool hollow;                        /* without functions: it goes with every class */
    struct apf_sample_salvage *salvage; /* that of the result */
};

struct apf_sample_merge {
    /* its arrays and strings are copies; the filter's data are the caller's */
    struct apf_sample_merge_options options;
    struct apf_options common;
    struct sample_read_options read;
    struct sample_remaps remaps;
    struct arena arena;          /* of the calling thread: names, errors, findings */
    VEC(struct apf_str) symbols; /* of the options: sorted, each as often as there; the view has each once */
    VEC(struct apf_str) known;   /* of apf_sample_merge_add_names */
    struct sample_sums sums;
    uint64_t weights[SAMPLE_CLASS_COUNT]; /* of the inputs of each class, hollow ones left out */
    struct inputs kept;
    VEC(struct sample_input) inputs; /* with the numbers of kept.list */
    struct rosters rosters;          /* of inputs of partial profiles, and of all if one is to be written */
    struct arena partials;           /* of partial profiles; `partials_lock` protects it */
    pthread_mutex_t partials_lock;
    size_t n_partials;             /* partial profiles among the inputs that were added */
    struct inputs_sources sources; /* whose sums are read when the merge is written as a partial profile */
    size_t n_settled;              /* inputs that are accepted or rejected, and in the statistics */
    unsigned class;                /* that wins; SAMPLE_CLASS_COUNT: there are no inputs but hollow ones */
    struct apf_sample_merge_stats stats;
    struct apf_sample *view; /* NULL: none */
    uint64_t sum_of_counts;  /* of the view */
    /* Nodes of the sum of the winning class that the view leaves out. */
    VEC(uint32_t) lost_nodes;
    bool renamed;      /* functions of the view have other names than in the sum, and may be joined */
    bool lost_unknown; /* of which inputs something is left out cannot be found */
    struct apf_sample_write_result written; /* of the last output */
};

/* Copies to the result of an input what its entry in kept.list has. */
static inline void sample_merge_show(struct apf_sample_merge *m, size_t i)
{
    const struct kept_input *kept = &m->kept.list.data[i];
    struct apf_sample_input_result *r = &m->inputs.data[i].result;
    r->name = kept->name;
    r->code = kept->code;
    r->weight = kept->weight;
    r->error = kept->error;
    r->removed = kept->removed;
    r->n_inputs = kept->n_inputs;
}
/* Whether an input with this code was read and added, whatever was decided about its class. */
static inline bool sample_merge_was_read(int code)
{
    return code == APF_OK || code == APF_SAMPLE_PROBE_CONFLICT || code == APF_SAMPLE_CONTEXT_CONFLICT;
}
/* Decides which class wins; inputs of the others become rejected. Looks only at new inputs, unless another class wins
 * than before. */
int sample_merge_settle(struct apf_sample_merge *m, struct apf_error *error);
/* Makes the view, unless it is there. */
int sample_merge_finish(struct apf_sample_merge *m, struct apf_error *error);
void sample_merge_drop_view(struct apf_sample_merge *m);
/* Adds the sums of sources to those in memory; then there are no sources any more. */
int sample_merge_load_sources(struct apf_sample_merge *m, struct apf_error *error);
/* Fills in and reports what each input lost, if the options ask for it. */
int sample_merge_find_losses(struct apf_sample_merge *m, struct apf_error *error);
/* Whether it is known what the output lacks of an input: not if functions were left out when it was written without
 * contexts, which may be of any input. */
static inline bool sample_merge_losses_known(const struct apf_sample_merge *m,
                                             const struct apf_sample_input_result *r)
{
    return r->losses_known && !m->written.lost_variants;
}

#endif
