/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Walks trees of entries in a time that does not depend on their depth: libdw walks all that is below an entry again to
 * find its sibling, once for each level. */
#ifndef OBJECT_DWARF_WALK_H
#define OBJECT_DWARF_WALK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <elfutils/libdw.h>

/* The offset after a unit; 0: it cannot be found. */
uint64_t dwarf_walk_end(Dwarf *dwarf, Dwarf_Die *unit);
/* Finds the entry after an entry whose children were walked, or are to be left out. *closed: how many levels of the
 * tree end before it; 0: it is a sibling. False: there is none up to the end of the unit, or the tree is damaged. */
bool dwarf_walk_on(Dwarf *dwarf, Dwarf_Off end, Dwarf_Die *entry, size_t *closed, Dwarf_Die *after);

#endif
