/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Names of functions without the suffixes that compilers and linkers add, as LLVM's sample profiles have them. */
#ifndef OBJECT_CANONICAL_NAME_H
#define OBJECT_CANONICAL_NAME_H

#include <anyprof/error.h>

/* Drops a suffix, such as ".llvm.", and the word after it, if the name ends there. */
void drop_suffix(struct apf_str *name, const char *suffix);
/* Without .llvm.* and .part.*. */
struct apf_str canonical_name(struct apf_str name);

#endif
