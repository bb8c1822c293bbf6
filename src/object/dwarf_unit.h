/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Units of DWARF, and the addresses of their entries. libdw cannot find the addresses of split DWARF, and follows lists
 * of ranges as often as they are referred to. */
#ifndef OBJECT_DWARF_UNIT_H
#define OBJECT_DWARF_UNIT_H

#include "object/dwarf_file.h"

struct dwarf_unit {
    const struct dwarf_file *file;    /* the file that the unit is in */
    const struct dwarf_file *program; /* the file with its addresses; of a split unit another one */
    Dwarf_CU *next;                   /* of dwarf_unit_next */
    Dwarf_Die die;
    bool has_lists;        /* its version has .debug_rnglists */
    uint8_t type;          /* DW_UT_* */
    uint8_t offset_bytes;  /* 4 or 8 */
    uint8_t address_bytes; /* 4 or 8, checked */
    uint64_t id;           /* of a skeleton or a split unit */
    uint64_t addresses;    /* offset of its addresses in .debug_addr */
    uint64_t lists;        /* offset of its lists, or of their table, in .debug_ranges or .debug_rnglists */
    uint64_t low;          /* the address that its ranges count from */
    uint32_t times_used;   /* split units: by how many skeletons */
};

/* Moves to the next unit that is no unit of types; false: there is none. `u` begins with a file, all else zero. */
bool dwarf_unit_next(struct dwarf_unit *u);
/* Takes the addresses of a split unit from its skeleton. */
void dwarf_unit_use_skeleton(struct dwarf_unit *u, const struct dwarf_unit *skeleton);
/* An address by its number; false: there is none. */
bool dwarf_unit_address(const struct dwarf_unit *u, uint64_t number, uint64_t *address);
/* A number in an attribute of an entry; `otherwise` where it has none. */
uint64_t dwarf_unit_number(Dwarf_Die *die, unsigned name, uint64_t otherwise);
/* Calls `each` for the addresses [low, high) of an entry until it returns false; returns whether it always returned
 * true. Damage ends the list. */
bool dwarf_unit_ranges(const struct dwarf_unit *u, Dwarf_Die *die,
                       bool (*each)(void *user, uint64_t low, uint64_t high), void *user);

#endif
