/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Bounds what libdw does with tables of abbreviations. */
#ifndef OBJECT_DWARF_LIMITS_H
#define OBJECT_DWARF_LIMITS_H

#include "object/dwarf_file.h"

/* Checks the units of a file of `size` bytes before libdw opens it. libdw reads the table of abbreviations for each
 * unit again, and keeps it for each, so that units that share one take memory with their square; and for each entry it
 * passes over the attributes of its abbreviation. APF_LIMIT, with what was found and the limit. */
int dwarf_check_tables(const struct dwarf_file *d, uint64_t size, struct apf_error *error);

#endif
