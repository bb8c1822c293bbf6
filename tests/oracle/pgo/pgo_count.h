/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Built with PGO_COUNT the program counts its own calls and prints them when it ends; what a profile says must be
 * the same. Otherwise nothing is left of this. C names itself; C++ gives the mangled name. */
#ifndef PGO_COUNT_H
#define PGO_COUNT_H

#define NOINLINE __attribute__((noinline))

#ifdef __cplusplus
#define PGO_C extern "C"
#else
#define PGO_C
#endif

#ifdef PGO_COUNT
PGO_C void pgo_count(const char *file, const char *name);
#define ENTER_AS(name) pgo_count(__FILE__, name)
#else
#define ENTER_AS(name) ((void)0)
#endif
#define ENTER() ENTER_AS(__func__)

#endif
