/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Which bytes of a profile of GCC belong to what. */
#ifndef SAMPLE_GCC_MAP_H
#define SAMPLE_GCC_MAP_H

#include "base/byte_map.h"

/* Adds the sections of a file that was read, and the gaps between them; `variant` is apf_sample_info.layout. False:
 * allocation failed. */
bool sample_gcc_map(struct byte_map *map, const uint8_t *data, size_t n, const char *variant);

#endif
