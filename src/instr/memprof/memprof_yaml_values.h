/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What the readers of memory profiles in YAML share: their state, and values of MemProf. */
#ifndef INSTR_MEMPROF_YAML_VALUES_H
#define INSTR_MEMPROF_YAML_VALUES_H

#include "base/yaml_fields.h"
#include "instr/memprof/memprof_yaml.h"

struct memprof_yaml {
    struct yaml_events events; /* the first member: see memprof_yaml_of */
    struct apf_memprof *m;
    const struct read_options *options;
    VEC(uint32_t) frames;  /* of the list that is read, by number */
    VEC(uint64_t) callees; /* of the call site */
    VEC(struct memprof_location) places;
};

static inline struct memprof_yaml *memprof_yaml_of(struct yaml_events *e)
{
    return (void *)e;
}

/* Ids of functions, and names: numbers of strings. */
yaml_value_fn memprof_yaml_guid, memprof_yaml_symbol, memprof_yaml_file;

/* The value of "DataAccessProfiles". */
yaml_value_fn memprof_yaml_data;

#endif
