/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* From documents to the model: what its files share. */
#ifndef PROBE_PROBE_JSON_BUILD_H
#define PROBE_PROBE_JSON_BUILD_H

#include "probe/probe_json_read.h"

/* A section of a document, to be sorted. */
struct numbered_section {
    struct probe_section section;
    uint32_t number; /* in its document */
};

/* A probe, to be put in its place. */
struct numbered_probe {
    struct apf_probe probe;
    int64_t distance;
    uint64_t number;
};

struct json_builder {
    struct probe_json *r;
    struct apf_probes *p;
    struct json_fields list, descs; /* the documents */
    VEC(struct numbered_section) sections;
    struct hash_index section_index;
    uint32_t first[2];          /* section of probes, and of descriptors; APF_PROBE_NONE: there is none */
    VEC(uint32_t) node_numbers; /* by node; they ascend */
    VEC(struct numbered_probe) probes;
    VEC(uint32_t) path; /* the node before and those it is in */
};

/* The section an entry is in; where it does not say, the first one there is. */
uint32_t json_find_section(struct json_builder *b, struct json_fields *f, bool has_descs);
/* Descriptors go first, and so do their paddings. */
int json_read_descs(struct json_builder *b, struct json_fields *doc);
int json_read_paddings(struct json_builder *b, struct json_fields *doc, bool in_descs);

#endif
