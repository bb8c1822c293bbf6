/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Checks the counters that DWARF describes, and warns about unusable ones as LLVM does. */
#ifndef PROGRAMS_CORRELATE_DWARF_H
#define PROGRAMS_CORRELATE_DWARF_H

#include "object/dwarf_counters.h"
#include "programs/correlate_program.h"

/* Whether the counters or the bitmap are usable: 1 or 0, or APF_NO_MEMORY. */
int correlate_dwarf_usable(struct correlate_program *p, const struct dwarf_counters *c);
/* The reason why nothing was found, for a message. */
const char *correlate_dwarf_why(const struct dwarf_counters_walk *walk);
/* Warns of units whose DWARF is in files that cannot be read. False: allocation failed. */
bool correlate_dwarf_warn_missing(struct correlate_program *p, const struct dwarf_counters_walk *walk);

#endif
