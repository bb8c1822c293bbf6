/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Reading profiles of GCC's AutoFDO, in every layout and both byte orders. */
#ifndef SAMPLE_GCC_READ_H
#define SAMPLE_GCC_READ_H

#include "sample/layout/gcc_layout.h"
#include "sample/model/sample_profile.h"

/* The first bytes that sample_gcc_begins looks at. */
#define SAMPLE_GCC_SNIFFED 16u

/* Whether a file begins as such a profile, of a known version or not. The files of gcov (.gcda), which have the same
 * magic, do not. */
bool sample_gcc_begins(const uint8_t *data, size_t n);
/* The layout in which sample_gcc_read has read a file, by the variant (apf_sample_info.layout) of the profile that it
 * made; *swap: the file has the other byte order than the host's. NULL: no such file. */
const struct gcc_layout *sample_gcc_layout(const uint8_t *data, size_t n, const char *variant, bool *swap);
/* Reads a profile; see sample_profile.h. Totals, which the file does not have, are sums of counts. */
int sample_gcc_read(struct apf_sample *s, const uint8_t *data, size_t n, const struct sample_read_options *o,
                    struct apf_error *error);

#endif
