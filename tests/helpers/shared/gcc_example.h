/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* One profile of GCC's AutoFDO in every layout. */
#ifndef HELPERS_SHARED_GCC_EXAMPLE_H
#define HELPERS_SHARED_GCC_EXAMPLE_H

#include "helpers/shared/gcc_build.h"

/* Names "", f, g, main and work, f and main of b.c, g of a.c; functions main and work, with inlined ones. */
struct gb_profile gcc_example(unsigned layout);
/* What is inlined in work: g, with a count of 6, and another work of 9 that has that g. */
extern const struct gb_node gcc_example_leaf, gcc_example_mid;

#endif
