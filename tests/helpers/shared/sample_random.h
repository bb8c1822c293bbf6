/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Sample profiles for tests: pseudo-random ones, equal in every run, and ones written as JSON; and their comparison. */
#ifndef HELPERS_SHARED_SAMPLE_RANDOM_H
#define HELPERS_SHARED_SAMPLE_RANDOM_H

#include "helpers/shared/unit.h"
#include "sample/model/sample_profile.h"

/* Properties of a profile that chance does not decide. */
struct sample_wish {
    bool contexts, probes;
    bool
        all; /* all that the model can hold: names of any bytes, hashes, source files, vtables, times, symbols ... */
    uint32_t most; /* functions at the top level; 0 means 8 */
};

/* A sealed, complete profile, for sample_free. */
struct apf_sample *sample_random(const struct sample_wish *wish, uint64_t *chance);
/* Reads a document of anyprof-sample/1: all of it, or `functions`, the entries of its list. */
struct apf_sample *sample_of_json(const char *json);
struct apf_sample *sample_of_functions(const char *functions);
/* Opens a text profile. */
struct apf_sample *sample_of_text(const char *text);
struct apf_buffer sample_to_json(const struct apf_sample *s);
/* Fails the test unless both hold the same, however their names are numbered. */
void sample_assert_same(const struct apf_sample *a, const struct apf_sample *b);
/* Fails the test unless this was printed. */
void sample_assert_text(const struct apf_buffer *got, const char *want);

#endif
