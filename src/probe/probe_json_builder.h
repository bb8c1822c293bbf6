/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The model of probes while it is made from documents. */
#ifndef PROBE_PROBE_JSON_BUILDER_H
#define PROBE_PROBE_JSON_BUILDER_H

#include "probe/probe_json_read.h"

/* A section of a document. */
struct numbered_section {
    struct probe_section section;
    uint32_t number; /* in the document */
};

/* A probe of a document. */
struct numbered_probe {
    struct apf_probe probe;
    int64_t distance;
    uint64_t number; /* its place among the probes of its node */
};

struct json_builder {
    struct probe_json *r;
    struct apf_probes *p;
    VEC(struct numbered_section) sections;
    struct hash_index section_index;
    uint32_t first[2];          /* first section of probes, and of descriptors; APF_PROBE_NONE: none */
    VEC(uint32_t) node_numbers; /* number of each node in the document, ascending */
    VEC(struct numbered_probe) probes;
    VEC(uint32_t) path; /* the node before and the nodes it is inlined into */
};

/* Reads the sections of both documents (probe_json_sections.c). */
int probe_json_sections(struct json_builder *b);
/* Finds the section of an entry; without a number, the first section. */
uint32_t probe_json_find_section(struct json_builder *b, struct json_fields *f, unsigned key, bool has_descs);
/* Reads nodes, probes and sentinels; the sections are known (probe_json_nodes.c). */
int probe_json_nodes(struct json_builder *b);
/* Computes addresses that give the distances of the document when they are written. */
void probe_json_place(struct json_builder *b);

#endif
