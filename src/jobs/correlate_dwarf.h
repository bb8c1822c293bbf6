/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What is usable of the counters that DWARF describes, with LLVM's warnings about the rest. */
#ifndef JOBS_CORRELATE_DWARF_H
#define JOBS_CORRELATE_DWARF_H

#include "jobs/correlate_program.h"
#include "object/dwarf_counters.h"

/* Whether a function can be counted: 1 or 0, or APF_NO_MEMORY. */
int correlate_dwarf_usable(struct correlate_program *p, const struct dwarf_counters *c);
/* What to say where nothing was found. */
const char *correlate_dwarf_why(const struct dwarf_counters_walk *walk);
/* Warns of units whose DWARF is in files that cannot be read. False: allocation failed. */
bool correlate_dwarf_warn_missing(struct correlate_program *p, const struct dwarf_counters_walk *walk);

#endif
