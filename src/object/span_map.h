/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* From addresses to items, each of which has spans of addresses. All zero = empty. */
#ifndef OBJECT_SPAN_MAP_H
#define OBJECT_SPAN_MAP_H

#include <stdbool.h>
#include <stdint.h>

#include "base/vec.h"

#define SPAN_MAP_NONE UINT32_MAX

/* Addresses [low, high) are of an item. */
struct span {
    uint64_t low, high;
    uint32_t item;
};

/* From this address on they are of an item, or of none. */
struct span_step {
    uint64_t address;
    uint32_t item;
};

struct span_map {
    VEC(struct span) spans;
    VEC(struct span_step) steps;
};

/* False: allocation failed. Empty spans are ignored. */
bool span_map_add(struct span_map *map, uint64_t low, uint64_t high, uint32_t item) MUST_USE;
/* After the last one. Where spans overlap, that which begins later wins, of those that begin together that which was
 * added later. */
bool span_map_finish(struct span_map *map) MUST_USE;
/* The item of an address, or SPAN_MAP_NONE. */
uint32_t span_map_find(const struct span_map *map, uint64_t address);
void span_map_free(struct span_map *map);

#endif
