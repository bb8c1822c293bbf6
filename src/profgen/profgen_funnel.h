/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What became of samples, as JSON. */
#ifndef PROFGEN_PROFGEN_FUNNEL_H
#define PROFGEN_PROFGEN_FUNNEL_H

#include <anyprof/profgen.h>

#include "base/json_entry.h"

/* Writes the entries of `anyprof-profgen/1` of docs/json.md into an object. `debug_file` may be NULL. */
void profgen_funnel_write(const struct apf_profgen_funnel *f, const char *debug_file, struct json_writer *w);

#endif
