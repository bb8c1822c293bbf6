/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Sample profiles from text and back, without the library's readers and writers, and random ones. */
#ifndef HELPERS_SHARED_SAMPLE_NOTES_H
#define HELPERS_SHARED_SAMPLE_NOTES_H

#include "sample/model/sample_profile.h"

/* A profile, sealed and complete, from lines of LLVM's text format: all are well-formed, and a name that is a decimal
 * number is a hash. Fails the test if memory is out. */
struct apf_sample *sample_from_notes(const char *text);
/* The profile as such text, in the order of output; the caller frees it. */
char *sample_to_notes(const struct apf_sample *s);
/* Fails the test, and shows both, unless a profile has this text. */
#define EXPECT_NOTES(s, text) expect_notes(s, text, __FILE__, __LINE__)
void expect_notes(const struct apf_sample *s, const char *text, const char *file, int line);

/* What random profiles are like. */
struct sample_random {
    unsigned functions, names; /* at most; names are f0, f1, ... */
    unsigned depth, frames;    /* of inlining, and of contexts: 0 none */
    unsigned checksums;        /* different ones of a function; 0: none */
    unsigned hashes;           /* names of 100 that are known by hash only */
    bool attributes, vtables, huge;
};

/* A random profile as text for sample_from_notes, from the state of next_random; the caller frees it. */
char *sample_random_notes(const struct sample_random *like, uint64_t *state);

#endif
