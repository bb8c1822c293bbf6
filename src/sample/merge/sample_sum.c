/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "sample/merge/sample_sum.h"

#include <stdlib.h>

#include "base/error.h"

static void sum_open(struct sample_sum *sum)
{
    pthread_mutex_init(&sum->lock, NULL);
    sum->profile = NULL;
}

static void sum_free(struct sample_sum *sum)
{
    sample_free(sum->profile);
    pthread_mutex_destroy(&sum->lock);
}

void sample_sums_open(struct sample_sums *s)
{
    pthread_mutex_init(&s->lock, NULL);
    for (unsigned c = 0; c < SAMPLE_CLASS_COUNT; c++)
        sum_open(&s->classes[c]);
    sum_open(&s->hollow);
}

void sample_sums_free(struct sample_sums *s)
{
    for (unsigned c = 0; c < SAMPLE_CLASS_COUNT; c++)
        sum_free(&s->classes[c]);
    sum_free(&s->hollow);
    sample_names_free(&s->names);
    pthread_mutex_destroy(&s->lock);
}

static int adopt_names(struct sample_sums *s, const struct sample_names *names, uint32_t *map,
                       struct apf_error *error)
{
    pthread_mutex_lock(&s->lock);
    int code = sample_names_adopt(&s->names, names, true, map, error);
    pthread_mutex_unlock(&s->lock);
    return code;
}

/* Whether the profile has the numbers of the sums already, as every run of one program with the same functions. */
static bool is_same(const uint32_t *map, size_t n)
{
    bool same = true;
    for (size_t i = 0; i < n && same; i++)
        same = map[i] == i;
    return same;
}

/* `same`: the map changes nothing. */
static int add_to(struct sample_sum *sum, struct apf_sample *in, const uint32_t *map, bool same,
                  uint64_t weight, uint64_t votes, struct apf_error *error)
{
    int code = APF_OK;
    pthread_mutex_lock(&sum->lock);
    bool first = !sum->profile;
    if (first)
        sum->profile = sample_new();
    if (!sum->profile)
        code = error_memory(error);
    else if (first && weight == 1 && same)
        sample_become_sum(sum->profile, in, votes);
    else
        code = sample_add(sum->profile, in, map, weight, votes, error);
    pthread_mutex_unlock(&sum->lock);
    return code;
}

int sample_sums_add(struct sample_sums *s, struct apf_sample *in, uint64_t weight, uint64_t votes,
                    struct apf_error *error)
{
    struct sample_sum *sum = sample_is_hollow(in) ? &s->hollow : &s->classes[sample_class_of(in)];
    uint32_t *map = malloc((in->names.list.n + 1) * sizeof *map);
    int code = map ? adopt_names(s, &in->names, map, error) : error_memory(error);
    bool same = code == APF_OK && is_same(map, in->names.list.n);
    if (code == APF_OK && !same)
        code = sample_renumber(in, map, error);
    if (code == APF_OK)
        code = add_to(sum, in, map, same, weight, votes, error);
    free(map);
    return code;
}

/* Adds a sum, whose nodes say which votes they have. */
static int join(struct sample_sum *sum, struct apf_sample *in, const uint32_t *map, struct apf_error *error)
{
    int code = sample_renumber(in, map, error);
    pthread_mutex_lock(&sum->lock);
    if (!sum->profile)
        sum->profile = sample_new();
    if (!sum->profile)
        code = error_memory(error);
    if (code == APF_OK)
        code = sample_add(sum->profile, in, map, 1, 0, error);
    pthread_mutex_unlock(&sum->lock);
    return code;
}

int sample_sums_join(struct sample_sums *s, const struct sample_names *names,
                     struct apf_sample *const *profiles, struct apf_error *error)
{
    uint32_t *map = malloc((names->list.n + 1) * sizeof *map);
    int code = map ? adopt_names(s, names, map, error) : error_memory(error);
    for (unsigned c = 0; code == APF_OK && c <= SAMPLE_CLASS_COUNT; c++)
        if (profiles[c])
            code = join(c < SAMPLE_CLASS_COUNT ? &s->classes[c] : &s->hollow, profiles[c], map, error);
    free(map);
    return code;
}

int sample_sums_find_names(struct sample_sums *s, const struct apf_str *known, size_t n,
                           struct apf_error *error)
{
    int code = sample_names_identify(&s->names, known, n, error);
    for (unsigned c = 0; code == APF_OK && c <= SAMPLE_CLASS_COUNT; c++) {
        const struct apf_sample *sum = c < SAMPLE_CLASS_COUNT ? s->classes[c].profile : s->hollow.profile;
        if (sum)
            code = sample_names_identify(&s->names, sum->symbols.data, sum->symbols.n, error);
    }
    return code;
}
