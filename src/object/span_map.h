/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A map from addresses to items, each of which has spans of addresses. All zero = empty. */
#ifndef OBJECT_SPAN_MAP_H
#define OBJECT_SPAN_MAP_H

#include <stdbool.h>
#include <stdint.h>

#include "base/vec.h"

#define SPAN_MAP_NONE UINT32_MAX

/* Addresses [low, high) belong to an item. */
struct span {
    uint64_t low, high;
    uint32_t item;
};

/* The item of the addresses from here to the next step, or SPAN_MAP_NONE. */
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
/* To be called after the last span_map_add. Where spans overlap, the one that begins later wins; of spans that begin
 * together, the one added later. */
bool span_map_finish(struct span_map *map) MUST_USE;
/* The same, but the span that was added first wins, wherever it begins. */
bool span_map_finish_first(struct span_map *map) MUST_USE;
/* The item of an address, or SPAN_MAP_NONE. */
uint32_t span_map_find(const struct span_map *map, uint64_t address);
void span_map_free(struct span_map *map);

#endif
