/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A map of a file: which section each byte belongs to. */
#ifndef BASE_BYTE_MAP_H
#define BASE_BYTE_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/compiler.h"
#include "base/vec.h"

/* Names of spans that belong to no section. */
#define PART_PADDING "padding"
#define PART_UNCLAIMED "unclaimed"

struct byte_span {
    const char *name;  /* of the section; static */
    uint64_t at, size; /* bytes */
    uint64_t profile;  /* number of the profile inside a raw file, from 0 */
};

/* All zero = empty. */
struct byte_map {
    VEC(struct byte_span) list;
};

/* Adds a span, unless it is empty. False: allocation failed. */
bool byte_map_add(struct byte_map *map, const char *name, uint64_t at, uint64_t size,
                  uint64_t profile) MUST_USE;
/* Sorts the spans of a file of n bytes by offset and adds the gaps between and after them: as padding if the bytes are
 * all zero and fewer than 8 or at the end of the file, else as unclaimed. False: allocation failed. */
bool byte_map_fill(struct byte_map *map, const uint8_t *data, uint64_t n) MUST_USE;
/* The first span with a name, or NULL. */
const struct byte_span *byte_map_find(const struct byte_map *map, const char *name);
void byte_map_free(struct byte_map *map);

#endif
