/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Merges of text that a sample profile corrects. */
#ifndef HELPERS_SHARED_SUPPLEMENT_MERGE_H
#define HELPERS_SHARED_SUPPLEMENT_MERGE_H

#include <anyprof/anyprof.h>

#include "helpers/shared/unit.h"

#define HOT UINT64_MAX
#define WARM (UINT64_MAX - 1)

/* A function of the sample profile. */
struct row {
    const char *name;
    uint64_t entries, hottest;
    uint32_t depth;
};

struct samples {
    const struct row *rows;
    size_t n;
    uint64_t hot, cold;
    uint32_t unique;
};

/* Functions of any size, and LLVM's other options. */
static const struct apf_supplement_options from_one = {sizeof from_one, 1, 0, 0.7};

int supplement_apply_to(struct apf_merge *m, const struct samples *s,
                        const struct apf_supplement_options *options);
struct apf_merge *supplement_merge(const char *text, const struct samples *s,
                                   const struct apf_supplement_options *options);
/* The record that the view has of a function. */
struct apf_record supplement_record(struct apf_merge *m, const char *name, uint64_t hash);

/* What a merge has reported. */
struct found {
    unsigned n, overflows;
    char text[1000]; /* of the last one: "FUNCTION|MESSAGE" */
};
/* A merge without samples, which reports to `found` unless that is NULL. */
struct apf_merge *supplement_merge_found(struct found *found, const char *text);

/* Fails the test unless the view has these counts of a function. */
#define CHECK(m, name, hash, ...)                                                                            \
    supplement_check(m, name, hash, (const uint64_t[]){__VA_ARGS__}, COUNT(((const uint64_t[]){__VA_ARGS__})))
void supplement_check(struct apf_merge *m, const char *name, uint64_t hash, const uint64_t *want, size_t n);

#endif
