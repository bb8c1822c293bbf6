/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Names without a source file that are those of functions with one. */
#ifndef SAMPLE_JOIN_H
#define SAMPLE_JOIN_H

#include "sample/model/sample_names.h"

/* Makes the map of the numbers of names by which each name without a source file becomes the one with a file, if there
 * is exactly one of that text. The caller frees it. NULL: nothing changes. */
int sample_join_map(const struct sample_names *names, uint32_t **map, struct apf_error *error);

#endif
