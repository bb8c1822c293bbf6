/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What units of DWARF begin with. */
#ifndef OBJECT_DWARF_HEAD_H
#define OBJECT_DWARF_HEAD_H

#include "base/cursor.h"

/* What versions of DWARF can do. */
struct dwarf_version {
    uint16_t number;
    bool has_types; /* units state their type, after the version */
    bool has_lists; /* ranges are in .debug_rnglists, and numbered */
};

/* NULL: unknown. */
const struct dwarf_version *dwarf_version_find(uint16_t number);

struct dwarf_head {
    uint64_t table;       /* offset of the unit's table of abbreviations */
    uint64_t table_place; /* where the unit has that */
    bool is_64_bit;
};

/* Reads the head of a unit, and skips the unit. False: it is cut off. libdw refuses units of unknown versions. */
bool dwarf_head_read(struct cursor *c, struct dwarf_head *head);

#endif
