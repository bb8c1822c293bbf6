/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What reads files in YAML into a profile: its state, and values of BOLT. */
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

/* Where the lists of a block begin in the edges of the function. */
struct yaml_span {
    size_t first_call, first_successor;
};

struct yaml_reader {
    struct yaml_events events; /* the first member: see yaml_reader_of */
    struct apf_bolt_yaml *y;
    uint32_t file;
    uint64_t weight;
    struct arena scratch; /* texts of the function, or of the header */
    struct yaml_text text;
    struct apf_bolt_yaml_header header;
    struct apf_bolt_yaml_function function;
    VEC(struct apf_bolt_yaml_block) blocks;
    VEC(struct yaml_span) spans;          /* of these */
    VEC(struct apf_bolt_yaml_edge) edges; /* of the function: of each block its calls, its successors */
    struct arena_mark mark;               /* in `scratch`, in front of the function */
    bool has_header, has_probes;
    struct apf_str desc; /* what is said about probes behind the functions */
    char unknown[40];    /* the first key that is not known */
    uint64_t n_unknown;
};

static inline struct yaml_reader *yaml_reader_of(struct yaml_events *e)
{
    return (void *)e;
}

/* A text, which goes to the scratch memory. */
yaml_value_fn yaml_value_text;
/* A value that is kept as it is, of numbers in lists and mappings: lines `key: value` are added to a text. */
yaml_value_fn yaml_value_kept;

#endif
