/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The frames of .eh_frame: where functions are, and which tables they have for exceptions. */
#ifndef OBJECT_EH_FRAMES_H
#define OBJECT_EH_FRAMES_H

#include "base/cursor.h"

struct eh_frame {
    uint64_t start, size; /* of the function's code */
    uint64_t table;       /* address of its call site table; 0: none */
};

/* Calls `each` for the frames of a section at an address, in their order. Damage ends the walk; frames whose addresses
 * are known only in a running program are left out. All supported processors are little-endian. */
void eh_frames_read(const uint8_t *data, size_t n, uint64_t address,
                    void (*each)(void *user, const struct eh_frame *frame), void *user);

#define EH_POINTER_OMITTED 0xffu
/* Reads a pointer of an encoding (DW_EH_PE_*). The cursor's offset is the address of its place. *is_known becomes false
 * where the pointer is known only in a running program. */
uint64_t eh_pointer_read(struct cursor *c, uint8_t encoding, bool *is_known);

#endif
