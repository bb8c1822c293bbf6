/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The state of the reader of profiles in YAML, and its parsers of values. */
#ifndef BOLT_BOLT_YAML_VALUES_H
#define BOLT_BOLT_YAML_VALUES_H

#include <stdbool.h>

#include "base/yaml_fields.h"
#include "bolt/bolt_yaml_model.h"

/* A vector, see base/vec.h. */
struct yaml_text {
    char *data;
    size_t n, capacity;
};

/* Places in `edges` where the lists of a block begin. */
struct yaml_span {
    size_t first_call, first_successor;
};

struct yaml_reader {
    struct yaml_events events; /* must be the first member: see yaml_reader_of */
    struct apf_bolt_yaml *y;
    uint32_t file;
    uint64_t weight;
    struct arena scratch; /* texts of the current function, or of the header */
    struct yaml_text text;
    struct apf_bolt_yaml_header header;
    struct apf_bolt_yaml_function function;
    VEC(struct apf_bolt_yaml_block) blocks;
    VEC(struct yaml_span) spans; /* one for each block */
    VEC(struct apf_bolt_yaml_edge)
    edges;                  /* of the current function: for each block its calls and its successors */
    struct arena_mark mark; /* in `scratch`, before the current function */
    bool has_header, has_probes;
    struct apf_str desc; /* descriptions of probes after the functions */
    char unknown[40];    /* the first unknown key */
    uint64_t n_unknown;
};

static inline struct yaml_reader *yaml_reader_of(struct yaml_events *e)
{
    return (void *)e;
}

/* Parses a text into the scratch memory. */
yaml_value_fn yaml_value_text;
/* Copies a value of numbers in lists and mappings verbatim, as a line `key: value` of a text. */
yaml_value_fn yaml_value_kept;

#endif
