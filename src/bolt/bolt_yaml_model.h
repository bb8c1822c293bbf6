/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A profile in YAML, in memory: functions by name, blocks and edges by number. */
#ifndef BOLT_BOLT_YAML_MODEL_H
#define BOLT_BOLT_YAML_MODEL_H

#include <anyprof/bolt.h>

#include "base/arena.h"
#include "base/file.h"
#include "base/hash_index.h"
#include "base/text_set.h"
#include "base/vec.h"
#include "base/yaml_text.h"

/* A list in the arena; when it outgrows its capacity, it is copied to twice the room. */
struct yaml_edges {
    struct apf_bolt_yaml_edge *data;
    size_t n, capacity;
};

struct yaml_block {
    uint64_t hash, exec, events;
    uint32_t index, n_instructions;
    struct yaml_edges calls, successors;
    struct apf_str probes;
};

struct yaml_function {
    struct apf_str name, probes;
    uint64_t hash, exec, entered;
    uint32_t fid, n_all_blocks;
    uint32_t file, last_file;  /* the first and the last file with the function */
    struct yaml_block *blocks; /* by index, ascending */
    size_t n, capacity;
};

/* The joined headers of all files. */
struct yaml_header {
    struct apf_bolt_yaml_header first; /* of the first file; some fields with better values of later files */
    struct text_set origins, events;   /* filled once files differ */
    bool origins_differ, events_differ;
    bool names_reported, ids_reported, events_reported;
    uint32_t file;       /* the first file */
    bool probes;         /* a file with probes was read */
    struct apf_str desc; /* the descriptions of probes at the end of that file */
};

struct apf_bolt_yaml {
    struct apf_options options;
    struct apf_bolt_yaml_info info;
    struct arena arena;
    VEC(struct yaml_function) functions;
    VEC(uint32_t) order; /* functions in the order of writing */
    struct hash_index by_name, by_fid;
    VEC(struct apf_str) files; /* [0]: stands for additions of the caller */
    struct yaml_header header;
    VEC(struct apf_bolt_yaml_block) blocks; /* of one function that is being added or returned */
    VEC(struct apf_bolt_yaml_block) sorted;
    bool failed;
};

/* Fails after an earlier failure; every public function calls this first. */
int yaml_usable(const struct apf_bolt_yaml *y, struct apf_error *error);
/* Copies a text to the arena. */
bool yaml_keep(struct apf_bolt_yaml *y, struct apf_str *text);
/* Adds to a sum; false: the sum saturated. */
bool yaml_add_up(struct apf_bolt_yaml *y, uint64_t *sum, uint64_t more);
/* The fault of a function, or NULL. Copies its blocks to y->blocks, sorted by number. */
const char *yaml_function_fault(struct apf_bolt_yaml *y, struct apf_bolt_yaml_function *function);
/* Adds a function of a file after yaml_function_fault found no fault. */
int yaml_add_function(struct apf_bolt_yaml *y, const struct apf_bolt_yaml_function *from, uint32_t file,
                      struct apf_error *error);
/* Adds the counts of blocks to those of a function. The error describes a difference of the blocks. */
int yaml_join_blocks(struct apf_bolt_yaml *y, struct yaml_function *to,
                     const struct apf_bolt_yaml_function *from, uint32_t file, struct apf_error *error);
/* Reports that a function differs between its first file and this one. */
int yaml_conflict(const struct apf_bolt_yaml *y, const struct yaml_function *function, uint32_t file,
                  const char *where, const char *what, struct apf_error *error);
/* Function number i in the present order; without its probes if the profile lost its probes. */
struct yaml_function *yaml_function_at(struct apf_bolt_yaml *y, size_t i);

/* Joins texts about probes: equal ones, or one with none; any other pair drops all probes from the profile. */
bool yaml_join_probes(struct apf_bolt_yaml *y, struct apf_str *to, struct apf_str from);

/* Joins a header; it is from y->files[file]. */
int yaml_header_join(struct apf_bolt_yaml *y, const struct apf_bolt_yaml_header *header, uint32_t file,
                     struct apf_error *error);
/* Joins the descriptions of probes that follow the functions of a file. */
bool yaml_header_probes(struct apf_bolt_yaml *y, struct apf_str desc);

#endif
