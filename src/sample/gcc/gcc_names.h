/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Names of functions as GCC looks them up. */
#ifndef SAMPLE_GCC_NAMES_H
#define SAMPLE_GCC_NAMES_H

#include <anyprof/error.h>

#include "sample/layout/gcc_layout.h"

/* The name without the suffixes that a compiler ignores. What is left is never empty. */
struct apf_str gcc_name_stem(struct apf_str name, enum gcc_suffixes suffixes);
/* Programs of GCC name the abstract constructors and destructors of C++ in their debug information, whose symbols do
 * not exist (GCC bug 64346). The place of the digit 4 in such a name, which has to become 2; 0: it is another name. */
size_t gcc_name_constructor(struct apf_str name);

#endif
