/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The options every call shares. */
#ifndef BASE_OPTIONS_H
#define BASE_OPTIONS_H

#include <anyprof/io.h>

/* Fills in a structure of options, all zero so far, with the caller's. These begin with their size (0: the same), may
 * be of an older, smaller structure, or NULL. */
void options_take(void *to, size_t size, const void *from);
struct apf_options options_copy(const struct apf_options *options);
/* The largest input. */
uint64_t options_max_bytes(const struct apf_options *options);

#endif
