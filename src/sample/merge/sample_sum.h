/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The sums of the inputs of a merge, one for each kind of profiles that cannot be added up: which kind the result is of
 * is decided when all inputs are in. */
#ifndef SAMPLE_SUM_H
#define SAMPLE_SUM_H

#include <pthread.h>

#include "sample/model/sample_resolve.h"

/* Classes: profiles with and without probes, with and without contexts. */
enum { SAMPLE_CLASS_PROBES = 1, SAMPLE_CLASS_CONTEXTS = 2, SAMPLE_CLASS_COUNT = 4 };

struct sample_sum {
    pthread_mutex_t lock;
    struct apf_sample *profile; /* has numbers of sample_sums.names; NULL: none yet */
};

struct sample_sums {
    pthread_mutex_t lock; /* of the names */
    struct sample_names names;
    struct sample_sum classes[SAMPLE_CLASS_COUNT];
    /* of profiles without functions, which go with every class: symbols and flags */
    struct sample_sum hollow;
};

void sample_sums_open(struct sample_sums *s);
void sample_sums_free(struct sample_sums *s);

static inline unsigned sample_class_of(const struct apf_sample *s)
{
    return (s->info.flags & APF_SAMPLE_PROBES ? SAMPLE_CLASS_PROBES : 0) |
           (s->info.flags & APF_SAMPLE_CONTEXTS ? SAMPLE_CLASS_CONTEXTS : 0);
}
static inline bool sample_is_hollow(const struct apf_sample *s)
{
    return s->top.n == 0;
}

/* Adds a profile that was read, with its counts multiplied by `weight`. Its names become those of the sums, so it can
 * only be reset then. On any thread. */
int sample_sums_add(struct sample_sums *s, struct apf_sample *in, uint64_t weight, uint64_t votes,
                    struct apf_error *error);
/* Adds the sums of a partial profile: for each class and, last, those of hollow inputs, a sealed one or NULL, with
 * `names`. They can only be freed then. On any thread. */
int sample_sums_join(struct sample_sums *s, const struct sample_names *names,
                     struct apf_sample *const *profiles, struct apf_error *error);
/* Gives names to hashes, if they are the hashes of names in lists of symbols, or of `known`. */
int sample_sums_find_names(struct sample_sums *s, const struct apf_str *known, size_t n,
                           struct apf_error *error);

#endif
