/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Mappings with known keys, and lists, of memory profiles in YAML. */
#ifndef INSTR_MEMPROF_YAML_KEYS_H
#define INSTR_MEMPROF_YAML_KEYS_H

#include "base/yaml_events.h"
#include "instr/memprof_yaml.h"

struct memprof_yaml {
    struct yaml_events events;
    struct apf_memprof *m;
    const struct read_options *options;
    VEC(uint32_t) frames;  /* of the list that is read, by number */
    VEC(uint64_t) callees; /* of the call site */
    VEC(struct memprof_location) places;
};

struct memprof_key;
/* Reads the value that the current event begins, up to its last event. */
typedef int memprof_value_fn(struct memprof_yaml *r, const struct memprof_key *key, void *object);

struct memprof_key {
    const char *name, *where;
    memprof_value_fn *read;
    size_t at; /* in the object */
    bool required;
};

#define MEMPROF_KEYS(table) table, sizeof table / sizeof *table

/* The current event must begin a mapping, whose values go to the object. */
int memprof_yaml_map(struct memprof_yaml *r, const struct memprof_key *keys, size_t n, const char *where,
                     void *object);
/* Calls `item` for each item of a list. What is empty, or null, is an empty list. */
int memprof_yaml_list(struct memprof_yaml *r, const struct memprof_key *key, memprof_value_fn *item,
                      void *object);
/* A number that is not larger than `most`. */
int memprof_yaml_number(struct memprof_yaml *r, const char *where, uint64_t most, uint64_t *v);
/* Numbers of 32 and 64 bits, true or false (as uint32_t), ids of functions, and names: numbers of strings. */
memprof_value_fn memprof_yaml_u32, memprof_yaml_u64, memprof_yaml_bool, memprof_yaml_guid;
memprof_value_fn memprof_yaml_symbol, memprof_yaml_file;

/* The value of "DataAccessProfiles". */
memprof_value_fn memprof_yaml_data;

#endif
