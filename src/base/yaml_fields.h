/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Mappings with known keys, and lists, read from the events of YAML by tables. */
#ifndef BASE_YAML_FIELDS_H
#define BASE_YAML_FIELDS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/yaml_events.h"

struct yaml_field;
/* Reads the value that the current event begins, up to its last event, into the object. A reader with state of its own
 * has the events as its first member. */
typedef int yaml_value_fn(struct yaml_events *e, const struct yaml_field *field, void *object);

struct yaml_field {
    const char *key, *where;
    yaml_value_fn *read;
    size_t at; /* offset of the value in the object */
    bool required;
};

#define YAML_FIELDS(table) table, sizeof table / sizeof *table

/* Reads a mapping, which the current event must begin; the values go to the object. A key that is there twice is an
 * error, and so is an unknown key if e->unknown is NULL. */
int yaml_read_map(struct yaml_events *e, const struct yaml_field *fields, size_t n, const char *where,
                  void *object);
/* Calls `item` for each item of a list, which may be empty or null, as in LLVM. */
int yaml_read_list(struct yaml_events *e, const struct yaml_field *field, yaml_value_fn *item, void *object);
/* Reads a number from 0 to `most`, which is 2^32-1 or 2^64-1, with any prefix that LLVM knows. */
int yaml_read_number(struct yaml_events *e, const char *where, uint64_t most, uint64_t *v);
/* Numbers of 32 and 64 bits, and true or false as uint32_t, in all spellings that LLVM knows. */
yaml_value_fn yaml_value_u32, yaml_value_u64, yaml_value_bool;

#endif
