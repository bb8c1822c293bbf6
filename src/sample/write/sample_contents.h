/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What a profile has that not every form of output has a place for. */
#ifndef SAMPLE_CONTENTS_H
#define SAMPLE_CONTENTS_H

#include "sample/layout/sample_releases.h"
#include "sample/model/sample_profile.h"

struct sample_contents {
    uint32_t features;   /* SAMPLE_HAS_* */
    uint64_t n_contexts; /* functions with a caller */
    uint64_t n_inlined;  /* functions that are inlined */
    uint64_t top_checksums,
        inner_checksums; /* functions at the top level, and inlined ones, with a checksum */
    uint64_t top_attributes, inner_attributes; /* ... with attributes */
    uint64_t n_vtables, n_symbols;
    uint64_t n_times;  /* functions with the time of their first sample */
    uint64_t n_files;  /* names with a source file */
    uint64_t n_hashes; /* names of which only the hash is known */
};

/* Counts the contents of a sealed profile. */
int sample_contents_count(const struct apf_sample *s, struct sample_contents *contents,
                          struct apf_error *error);

#endif
