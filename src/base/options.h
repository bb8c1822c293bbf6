/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The options every call shares. */
#ifndef BASE_OPTIONS_H
#define BASE_OPTIONS_H

#include <anyprof/io.h>

/* The caller's options, which may be NULL or of an older, smaller structure. */
struct apf_options options_copy(const struct apf_options *options);
/* The largest input. */
uint64_t options_max_bytes(const struct apf_options *options);

#endif
