/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Packages of split DWARF (.dwp), where each unit has a part of each section. libdw reads them from 0.191 on only. */
#ifndef OBJECT_DWARF_PACKAGE_H
#define OBJECT_DWARF_PACKAGE_H

#include "object/dwarf_file.h"

/* Reads .debug_cu_index into d->parts, and makes the units refer to their tables of abbreviations by offsets in the
 * whole section, which libdw expects. False: allocation failed. A damaged index is ignored. */
bool dwarf_package_read(struct dwarf_file *d) MUST_USE;
/* The parts of the unit at a place of .debug_info; NULL: the file is no package. */
const struct dwarf_parts *dwarf_package_find(const struct dwarf_file *d, const void *place);
/* The text of an attribute of a package that is a number of .debug_str_offsets. */
const char *dwarf_package_text(const struct dwarf_file *d, const Dwarf_Attribute *attribute);

#endif
