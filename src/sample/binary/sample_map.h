/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Which bytes of a binary file belong to what. */
#ifndef SAMPLE_MAP_H
#define SAMPLE_MAP_H

#include "base/byte_map.h"

/* Add the parts of a file of the format, and the gaps between them. Where the file is damaged, the rest belongs to
 * nothing. False: allocation failed. */
bool sample_binary_map(struct byte_map *map, const uint8_t *data, size_t n);
bool sample_compact_map(struct byte_map *map, const uint8_t *data, size_t n);
bool sample_ext_map(struct byte_map *map, const uint8_t *data, size_t n);

#endif
