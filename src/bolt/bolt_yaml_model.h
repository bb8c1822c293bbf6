/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A profile in YAML, in memory: functions by name, what is in them by number. */
#ifndef BOLT_BOLT_YAML_MODEL_H
#define BOLT_BOLT_YAML_MODEL_H

#include <anyprof/bolt.h>

#include "base/arena.h"
#include "base/file.h"
#include "base/hash_index.h"
#include "base/vec.h"
#include "base/yaml_text.h"

/* Lists are in the arena; one that outgrows its capacity is copied to twice the room. */
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
    uint32_t file, last_file;  /* the first and the last one that have it */
    struct yaml_block *blocks; /* by index, ascending */
    size_t n, capacity;
};

/* Strings, each once. */
struct yaml_set {
    VEC(struct apf_str) data;
    struct hash_index index;
};

/* What the headers of all files say. */
struct yaml_header {
    struct apf_bolt_yaml_header first; /* of the first file, but for what was found to be better */
    struct yaml_set origins, events;   /* once files differ */
    bool origins_differ, events_differ;
    bool told_names, told_ids, told_events;
    uint32_t file;       /* the first one */
    bool probes;         /* a file with probes was there */
    struct apf_str desc; /* what it has at its end about them */
};

struct apf_bolt_yaml {
    struct apf_options options;
    struct apf_bolt_yaml_info info;
    struct arena arena;
    VEC(struct yaml_function) functions;
    VEC(uint32_t) order; /* functions, as they are written */
    struct hash_index by_name, by_fid;
    VEC(struct apf_str) files; /* [0]: what was not read from a file */
    struct yaml_header header;
    VEC(struct apf_bolt_yaml_block) blocks; /* of one function: on its way in, or out */
    VEC(struct apf_bolt_yaml_block) sorted;
    bool failed;
};

/* Fails after an earlier failure; every public function calls this first. */
int yaml_usable(const struct apf_bolt_yaml *y, struct apf_error *error);
/* A copy in the arena. */
bool yaml_keep(struct apf_bolt_yaml *y, struct apf_str *text);
/* Adds to a sum; false: it stays at the largest number. */
bool yaml_add_up(struct apf_bolt_yaml *y, uint64_t *sum, uint64_t more);
/* What is wrong with a function, or NULL. Its blocks come to stand in y->blocks, by number. */
const char *yaml_function_fault(struct apf_bolt_yaml *y, struct apf_bolt_yaml_function *function);
/* Adds a function that was found to be good, of a file. */
int yaml_take(struct apf_bolt_yaml *y, const struct apf_bolt_yaml_function *from, uint32_t file,
              struct apf_error *error);
/* Adds the counts of blocks to those of a function. What differs is described in the error. */
int yaml_join_blocks(struct apf_bolt_yaml *y, struct yaml_function *to,
                     const struct apf_bolt_yaml_function *from, uint32_t file, struct apf_error *error);
/* "the profile of NAME": what a function of this and of its first file differ in. */
int yaml_conflict(const struct apf_bolt_yaml *y, const struct yaml_function *function, uint32_t file,
                  const char *where, const char *what, struct apf_error *error);
/* Function number i in the present order, without its probes if none are written any more. */
struct yaml_function *yaml_function_at(struct apf_bolt_yaml *y, size_t i);

/* Text about probes: the same, or only one has it; else no probes are written at all. */
bool yaml_join_probes(struct apf_bolt_yaml *y, struct apf_str *to, struct apf_str from);

/* Takes in a header; y->files[file] is where it is from. */
int yaml_header_join(struct apf_bolt_yaml *y, const struct apf_bolt_yaml_header *header, uint32_t file,
                     struct apf_error *error);
/* What a file has about probes behind its functions. */
bool yaml_header_probes(struct apf_bolt_yaml *y, struct apf_str desc);

/* A file that was read whole, and is of this kind. */
int yaml_read_bytes(struct apf_bolt_yaml *y, const struct apf_input *input, const struct file_bytes *bytes,
                    struct apf_error *error);
#endif
