/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Sample profiles as JSON, schema anyprof-sample/1 (docs/json.md): what its writer and its reader share. */
#ifndef SAMPLE_JSON_H
#define SAMPLE_JSON_H

#include "base/json_fields.h"
#include "sample/model/sample_profile.h"

#define SAMPLE_SCHEMA_NAME "anyprof-sample"
#define SAMPLE_SCHEMA SAMPLE_SCHEMA_NAME "/1"

/* The word for a SAMPLE_FINDING_* in the document, such as "REPEATED_FUNCTION". */
const char *sample_json_finding(unsigned finding);

struct sample_json_reader {
    struct json_reader json;
    struct apf_sample *sample;
    const struct sample_read_options *options;
    uint64_t mask;        /* for places: bits of discriminators that count */
    uint64_t n_functions; /* functions, inlined ones included */
    VEC(uint32_t) open;   /* the inlined functions around the current place, from the top level on */
};

/* Read the functions of the document; errors are those of r->json. */
void sample_json_functions(struct sample_json_reader *r, struct json_fields *document, unsigned key);
/* Reads the name of an object that may have the keys "name", "hash" and "file", whose numbers these are. SAMPLE_NONE
 * after an error. */
uint32_t sample_json_identity(struct sample_json_reader *r, struct json_fields *f, unsigned name,
                              unsigned hash, unsigned file);

#endif
