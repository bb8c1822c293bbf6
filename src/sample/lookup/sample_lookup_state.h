/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The state of a lookup. */
#ifndef SAMPLE_LOOKUP_STATE_H
#define SAMPLE_LOOKUP_STATE_H

#include "sample/lookup/sample_tables.h"

/* A profile in memory, with its functions in the order of their names. */
struct sample_whole {
    struct apf_sample *profile; /* NULL: the tables of the file are searched instead */
    struct sort_name *texts;    /* names of functions, with their places in the list of functions */
    struct sort_key *hashes;    /* likewise those of which only the hash is known */
    size_t n_texts, n_hashes;
    VEC(uint32_t) path; /* scratch memory */
};

struct apf_sample_lookup {
    struct apf_sample_lookup_info info;
    char *file; /* the input's name, for errors */
    struct sample_read_options options;
    struct sample_tables tables;
    struct sample_whole whole;
    struct apf_sample *found; /* the result of the last search */
};

/* Reads a whole profile. */
int sample_whole_open(struct sample_whole *w, const struct apf_input *input,
                      const struct apf_sample_read_options *options, struct apf_error *error);
void sample_whole_close(struct sample_whole *w);
/* Fills an empty profile with the functions that have a name. *any: there are some. */
int sample_whole_find(struct sample_whole *w, struct apf_str name, struct apf_sample *found, bool *any,
                      struct apf_error *error);

#endif
