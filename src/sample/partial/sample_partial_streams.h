/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Adds up the sums of partial sample profiles, which are read in step: of each, a block is in memory, and where its
 * names and contexts are in the result. */
#ifndef SAMPLE_PARTIAL_STREAMS_H
#define SAMPLE_PARTIAL_STREAMS_H

#include "inputs/inputs_listing.h"
#include "partial/partial_pass.h"
#include "sample/partial/sample_partial_records.h"

/* Ascending numbers from 0, as bits: of what a file has, the numbers in the result. */
struct partial_places {
    VEC(uint64_t) bits;
    VEC(uint32_t) marks; /* every 64th of them */
    size_t n;
};

struct partial_stream {
    struct partial_records records; /* set by the caller, all zero but for file, limits, n_inputs and error */
    size_t given;                   /* number of the input; its inputs are members of that ... */
    bool numbered;                  /* ... or they have the numbers of the result already */
    /* Of an error: the code, with the name of the file. NULL: as it is. */
    int (*fails)(const void *stream, int code, struct apf_error *error);
    const void *owner; /* of `fails` */
    struct partial_places files, names, contexts[SAMPLE_PARTIAL_CLASSES];
    /* The record at hand, with numbers of the result. */
    struct apf_str text;
    struct partial_name name;
    struct partial_sample_class class;
    struct partial_context context;
    struct partial_function function;
    struct partial_path path;
};

/* Writes the sums of n streams, whose classes have these weights together. The caller closes their files. */
int partial_streams_write(struct partial_stream *streams, uint32_t n, struct partial_writer *to,
                          const struct inputs_listing *inputs, const uint64_t weights[SAMPLE_PARTIAL_CLASSES],
                          struct apf_error *error);
void partial_stream_free(struct partial_stream *s);

/* What is known of sums that were read and found right, but not kept. */
struct partial_sums_facts {
    bool has_hashes; /* names of which only the hash is known, and that may be names of other files */
    uint32_t flags[SAMPLE_PARTIAL_CLASSES];
    uint64_t weights[SAMPLE_PARTIAL_CLASSES];
};

/* Reads the sums of n_inputs inputs and checks them. APF_BAD_PARTIAL, APF_LIMIT, APF_NO_MEMORY. */
int partial_sums_check(struct partial_reader *file, const struct sample_read_options *limits,
                       uint64_t n_inputs, struct partial_sums_facts *facts, struct apf_error *error);

#endif
