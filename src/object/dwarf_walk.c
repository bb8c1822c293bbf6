/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "object/dwarf_walk.h"

uint64_t dwarf_walk_end(Dwarf *dwarf, Dwarf_Die *unit)
{
    const Dwarf_Off start = dwarf_dieoffset(unit) - dwarf_cuoffset(unit);
    Dwarf_Off end = 0;
    size_t header;
    return dwarf_next_unit(dwarf, start, &end, &header, NULL, NULL, NULL, NULL, NULL, NULL) == 0 ? end : 0;
}

bool dwarf_walk_on(Dwarf *dwarf, Dwarf_Off end, Dwarf_Die *entry, size_t *closed, Dwarf_Die *after)
{
    *after = (Dwarf_Die){0};
    *closed = 0;
    const int found = dwarf_siblingof(entry, after);
    if (found <= 0)
        return found == 0;
    if (!after->addr)
        return false;
    /* Every level ends with a byte of 0. */
    const uint8_t *p = after->addr, *first = entry->addr;
    for (Dwarf_Off at = dwarf_dieoffset(entry) + (Dwarf_Off)(p - first); at < end; at++, p++) {
        if (*p != 0)
            return dwarf_offdie(dwarf, at, after) != NULL;
        ++*closed;
    }
    return false;
}
