/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Looks up functions of profiles that must be good. */
#ifndef HELPERS_SHARED_LOOKUP_OPEN_H
#define HELPERS_SHARED_LOOKUP_OPEN_H

#include <anyprof/lookup.h>

#include "helpers/shared/open_memory.h"

struct apf_str lookup_name(const char *s);
struct apf_lookup *lookup_open_bytes(const void *p, size_t n);
struct apf_lookup *lookup_open_path(const char *path);
/* Fails the test unless the search for a name and hash ends with this code; `first` is the record's first counter. */
void lookup_expect(struct apf_lookup *l, const char *name, uint64_t hash, int code, uint64_t first);
/* Looks up every function of a file, and compares the records with those of the whole profile. Returns their number. */
size_t lookup_check_all(struct apf_lookup *l, struct apf_instr *instr);

#endif
