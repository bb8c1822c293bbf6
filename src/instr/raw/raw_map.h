/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The byte map of raw profiles: where header, sections, padding and value data are. */
#ifndef INSTR_RAW_MAP_H
#define INSTR_RAW_MAP_H

#include "base/byte_map.h"
#include "instr/raw/raw_profile.h"

/* Adds the parts of a profile whose value data ends at `end` and which has this number in the file, from 0. False:
 * allocation failed. */
bool raw_map_add(struct byte_map *map, const struct raw_profile *raw, uint64_t end, uint64_t number) MUST_USE;

#endif
