/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Checks of functions that make another profile of one. */
#ifndef HELPERS_SHARED_SAMPLE_CHANGE_H
#define HELPERS_SHARED_SAMPLE_CHANGE_H

#include "sample/model/sample_resolve.h"

#include "helpers/shared/sample_notes.h"

/* Makes another profile, which shares the names of `from`. `how` is the test's. */
typedef int sample_change_fn(const struct apf_sample *from, const void *how, struct apf_sample **to,
                             struct sample_losses *losses, struct apf_error *error);

/* Fails the test unless the profile that is made of `text` is `expected`. */
#define EXPECT_CHANGE(change, how, text, expected)                                                           \
    expect_change((change), (how), (text), (expected), NULL, __FILE__, __LINE__)
void expect_change(sample_change_fn *change, const void *how, const char *text, const char *expected,
                   struct sample_losses *losses, const char *file, int line);

/* The result must not depend on the order in which functions and names came: random profiles, each in many orders. */
void change_in_any_order(sample_change_fn *change, const void *how, const struct sample_random *like);
/* Every allocation fails once. */
void change_with_faults(sample_change_fn *change, const void *how, const char *text);

#endif
